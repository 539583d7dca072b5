"""What agrees with the paper and what does not, in sentences made of numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from experiments.yahpo.published import CORRELATIONS, OBJECTIVES
from experiments.yahpo.published import METHODS as PUBLISHED
from experiments.yahpo.summary import standing
from experiments.yahpo.tables import difference, title

FAMILIES = {"rbv2": "Table 2", "iaml": "Table 4"}


def sentences(found: Mapping[str, Any]) -> list[str]:
    """Return one sentence per comparison, good news and bad."""
    return [
        *_objectives(found["objectives"]["rbv2"]),
        *_values(found["correlations"]),
        *[line for family in FAMILIES for line in _ahead(found["leads"], family)],
        *_signs(found["correlations"]),
        _order_of_methods(found["correlations"]),
        *_importances(found),
        _seeds(found["correlations"]),
        _kind(),
        _not_there(found["correlations"]),
    ]


def _objectives(instances: Mapping[str, Any]) -> list[str]:
    """Compare Tables 1 and 3."""
    apart: dict[str, list[float]] = {"low": [], "mean": [], "high": []}
    same = []
    for instance, learners in instances.items():
        printed = {row.name: row for row in OBJECTIVES.get(instance, ())}
        for learner, numbers in learners.items():
            if learner in printed:
                for number, values in apart.items():
                    told = getattr(printed[learner], number).value
                    values.append(abs(numbers[number]["value"] - told))
        if printed:
            best = max(printed.values(), key=lambda row: row.high.value).name
            same.append(next(iter(learners)) == best)
    words = {"low": "lowest", "mean": "mean", "high": "highest"}
    told = ", ".join(
        f"the {words[key]} by {np.mean(values):.3f} on average and {max(values):.3f} at most"
        for key, values in apart.items()
    )
    return [
        f"Objectives per learner (Tables 1 and 3) differ from the paper's: {told}.",
        f"The learner with the highest objective is the paper's on {sum(same)} of {len(same)} "
        "instances.",
    ]


def _values(families: Mapping[str, Any]) -> list[str]:
    """Compare condPED-ANOVA's own correlations."""
    told, apart = [], []
    for family, instances in families.items():
        for instance, methods in instances.items():
            printed = CORRELATIONS[family].get(instance)
            if printed:
                own = methods["paper"]["mean"]
                apart.append(abs(own - printed["paper"]))
                told.append(f"{own:.2f} for {printed['paper']:.2f} on {instance}")
    return [
        f"condPED-ANOVA's correlations are {np.mean(apart):.2f} from the paper's on average: "
        f"{', '.join(told)}."
    ]


def _ahead(leads: Mapping[str, Any], family: str) -> list[str]:
    """Count the instances on which a method is ahead of every baseline, here and in the paper.

    Within two standard errors, or where the difference is 0.00, it is a tie.
    """
    printed = CORRELATIONS[family]
    lines = []
    for own, instances in leads[family].items():
        states = [standing(one["value"], one["error"]) for one in instances.values()]
        line = f"{title(own)} is clearly ahead of every baseline on {states.count('ahead')} of "
        line += f"{len(instances)} {family} instances, a tie on {states.count('tie')}, clearly "
        line += f"behind on {states.count('behind')}"
        if own == "paper":
            shared = [printed[instance] for instance in instances if instance in printed]
            there = sum(all(row["paper"] > row[m] for m in PUBLISHED[1:]) for row in shared)
            line += f" (ahead in {FAMILIES[family]}: {there} of the same {len(shared)}, of "
            line += f"{len(printed)} in all)"
        told = ", ".join(
            f"{one['value']:+.2f} ± {one['error']:.2f} against {title(one['rival'])} on {instance}"
            for instance, one in instances.items()
        )
        lines.append(f"{line}: {told}.")
    return lines


def _signs(families: Mapping[str, Any]) -> list[str]:
    """Compare the signs of the baselines' correlations, and count negative ones."""
    same, total = 0, 0
    negative: set[str] = set()
    present: set[str] = set()
    lowest = {"paper": 1.0, "calibrated": 1.0}
    for family, instances in families.items():
        for instance, methods in instances.items():
            for method, numbers in methods.items():
                value = numbers["mean"]
                if value is None:
                    continue
                if method in lowest:
                    lowest[method] = min(lowest[method], value)
                    continue
                present.add(method)
                if value < 0:
                    negative.add(method)
                told = CORRELATIONS[family].get(instance, {}).get(method)
                if told is not None:
                    total += 1
                    same += (told < 0) == (value < 0)
    low = ", ".join(f"{title(method)} {value:.2f}" for method, value in lowest.items())
    return [
        f"{len(negative)} of {len(present)} baselines have a negative correlation somewhere; the "
        f"lowest of condped's own are {low}.",
        f"Of the {total} baseline correlations that the paper prints for these instances, {same} "
        "have the same sign here.",
    ]


def _order_of_methods(families: Mapping[str, Any]) -> str:
    """Rank the methods by their mean over all instances here and in the paper."""
    here: dict[str, list[float]] = {}
    there: dict[str, list[float]] = {}
    for family, instances in families.items():
        for instance, methods in instances.items():
            for method, numbers in methods.items():
                if instance in CORRELATIONS[family] and numbers["mean"] is not None:
                    here.setdefault(method, []).append(numbers["mean"])
                    if method in PUBLISHED:
                        told = CORRELATIONS[family][instance][method]
                        there.setdefault(method, []).append(told)
    parts = [
        f"{title(method)} {np.mean(here[method]):.2f}"
        + (f" ({np.mean(there[method]):.2f})" if method in there else "")
        for method in sorted(here, key=lambda name: -float(np.mean(here[name])))
    ]
    return f"Means over these instances, here and (in the paper): {'; '.join(parts)}."


def _importances(found: Mapping[str, Any]) -> list[str]:
    """Compare the two methods' first hyperparameters; the paper prints no numbers of these."""
    lines = []
    for instance, methods in found["importances"]["rbv2"].items():
        first = {method: list(means)[:3] for method, means in methods.items()}
        lines.append(
            f"Most important on {instance}: {', '.join(f'`{n}`' for n in first['paper'])}; by "
            f"calibrated {', '.join(f'`{n}`' for n in first['calibrated'])}."
        )
    return lines


def _seeds(families: Mapping[str, Any]) -> str:
    """Return which way of combining seeds is closer to the paper's numbers."""
    apart = {
        way: float(np.mean([difference(families[f], f, way) for f in FAMILIES]))
        for way in ("mean", "of_means")
    }
    words = {"mean": "the mean of the seeds' correlations", "of_means": "the correlation of means"}
    near, far = sorted(apart, key=apart.__getitem__)
    return (
        "The paper does not say how it combines the ten seeds. Over all methods "
        f"{words[near]} is nearer to its numbers ({apart[near]:.2f} apart on average) than "
        f"{words[far]} ({apart[far]:.2f}), which on another surrogate generation proves little."
    )


def _kind() -> str:
    """Return which kind of correlation the paper's numbers can be.

    Over iaml's four learners Spearman's is a multiple of 0.2 and Kendall's of 1/3, without ties; a
    mean over ten seeds is a multiple of a tenth of that.
    """
    printed = [value for row in CORRELATIONS["iaml"].values() for value in row.values()]
    odd = {
        name: sum(_apart(value, step / 10) > 0.0051 for value in printed)
        for name, step in (("Spearman", 0.2), ("Kendall", 1 / 3))
    }
    told = " and ".join(f"{count} cannot be {name}'s" for name, count in odd.items())
    return (
        f"Nor does it name the kind of correlation; Pearson's is used here. Of the {len(printed)} "
        f"numbers of Table 4 {told}, not even as means over ten seeds, ties apart."
    )


def _apart(value: float, step: float) -> float:
    """Return the distance to the nearest multiple."""
    return abs(value - step * round(value / step))


def _not_there(families: Mapping[str, Any]) -> str:
    """Name what the paper has and these evaluations lack."""
    absent = [
        f"{instance} of {family}"
        for family, printed in CORRELATIONS.items()
        for instance in printed
        if instance not in families[family]
    ]
    return f"Not compared, as there are no evaluations: {', '.join(absent) or 'nothing'}."
