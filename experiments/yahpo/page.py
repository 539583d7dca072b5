"""The results as a page of the documentation; every number comes from the results' file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiments.yahpo.agreement import sentences
from experiments.yahpo.learners import METHODS
from experiments.yahpo.published import SOURCE
from experiments.yahpo.tables import (
    NOT_THERE,
    correlation_lines,
    markdown,
    objective_lines,
    title,
)

FILE = Path(__file__).parents[2] / "docs" / "trust" / "yahpo.md"
TOP = 8


def page(found: Mapping[str, Any]) -> str:
    """Return the page in Markdown."""
    return "\n".join(
        [
            "# Real-world benchmarks: YAHPO Gym",
            "",
            *_head(found),
            "",
            "## Agreement with the paper",
            "",
            *[f"- {sentence}" for sentence in sentences(found)],
            "",
            "## Figures 5 and 15: importances",
            "",
            "Means ± standard errors over seeds; in brackets those of `calibrated`. The paper "
            "gives no numbers for these.",
            "",
            "![Importances on 1053](paper/figure-5.png)",
            "",
            "![Importances on other instances](paper/figure-15.png)",
            "",
            *_importances(found),
            "## Tables 1 and 3: the objective per learner",
            "",
            *_objectives(found),
            "## Tables 2 and 4: do importances follow performance?",
            "",
            "Correlation, over learners, of the highest objective with the highest importance "
            "among the learner's hyperparameters; the paper's numbers in brackets.",
            "",
            *_correlations(found),
            "## Time",
            "",
            *_seconds(found),
            "",
        ]
    )


def _head(found: Mapping[str, Any]) -> list[str]:
    settings = found["settings"]
    lines = [
        f"Figures 5 and 15 and Tables 1 to 4 of the paper ({SOURCE}), recomputed from a folder "
        f"of evaluation sets: γ = {settings['region_quantile']:g}, "
        f"γ' = {settings['target_quantile']:g}, {settings['seeds']} seeds of 1,000 uniform "
        "random configurations. Standard errors divide the variance by n, as the paper's do.",
        "",
    ]
    for family, source in found["sources"].items():
        lines.append(f"- {family}: `{source['scenario']}`: {source['label']}.")
    return [
        *lines,
        "",
        "With the paper's own scenarios: clone `yahpo_data`, then",
        "",
        "```sh",
        "python -m experiments.yahpo.sample --data-path yahpo_data --scenario rbv2_super \\",
        "    --instances 1053,1457,1063,1479,15,1468 --output yahpo-sets",
        "python -m experiments.yahpo.sample --data-path yahpo_data --scenario iaml_super \\",
        "    --instances 40981,41146,1489,1067 --output yahpo-sets",
        "python -m experiments.yahpo --data yahpo-sets --output results --page yahpo.md",
        "```",
    ]


def _importances(found: Mapping[str, Any]) -> list[str]:
    lines = []
    for instance, methods in found["importances"]["rbv2"].items():
        own, other = methods["paper"], methods["calibrated"]
        rows = [
            [f"`{name}`", found["learner_of"][name] or "all",
             f"{own[name]['value']:.3f} ± {own[name]['error']:.3f}",
             f"({other[name]['value']:.3f} ± {other[name]['error']:.3f})"]
            for name in list(own)[:TOP]
        ]  # fmt: skip
        head = [f"{instance}, first {TOP} of {len(own)}", "learner", "importance", "calibrated"]
        lines += [*markdown(head, rows), ""]
    return lines


def _objectives(found: Mapping[str, Any]) -> list[str]:
    lines = []
    for instance, learners in found["objectives"]["rbv2"].items():
        lines += [f"Instance {instance}:", "", *objective_lines(instance, learners), ""]
    return lines


def _correlations(found: Mapping[str, Any]) -> list[str]:
    lines = []
    for family, instances in found["correlations"].items():
        lines += [
            f"{family}, mean over seeds of each seed's correlation:",
            "",
            *correlation_lines(family, instances, "mean"),
            "",
            f"{family}, correlation of the means over seeds:",
            "",
            *correlation_lines(family, instances, "of_means"),
            "",
        ]
        lines += _fewer(instances, found["settings"]["seeds"])
    return lines


def _fewer(instances: Mapping[str, Any], seeds: int) -> list[str]:
    """Tell which methods have fewer seeds, or seeds without a correlation."""
    lines = []
    for instance, methods in instances.items():
        for method, numbers in methods.items():
            if numbers["seeds"] < seeds:
                lines.append(f"{title(method)} on {instance}: {numbers['seeds']} seeds only.")
            if numbers["undetermined"]:
                lines.append(
                    f"{title(method)} on {instance}: {numbers['undetermined']} seeds left out, as "
                    "all learners got the same importance."
                )
    return [*lines, ""] if lines else []


def _seconds(found: Mapping[str, Any]) -> list[str]:
    families = found["seconds"]
    rows = [
        [title(method), *[
            f"{families[f][method]:.3f}" if method in families[f] else NOT_THERE for f in families
        ]]
        for method in METHODS
    ]  # fmt: skip
    return [
        "Processor time in seconds for one seed of one instance, on a machine with other load. "
        "Wall-clock times of whole experiments are on [the page of figures](paper.md).",
        "",
        *markdown(["method", *families], rows),
    ]
