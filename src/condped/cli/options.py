"""The options that commands share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any, TypeVar

import click

from condped.cli.output import FORMS

Command = TypeVar("Command", bound=Callable[..., Any])
# "worst" counts a trial as worse than all others; "drop" leaves it out.
_TREATMENT = click.Choice(["drop", "worst"])
_KEPT = click.Choice(["keep", "drop", "worst"])


def _objective(*names: str) -> Callable[[Command], Command]:
    return click.option(
        *names,
        multiple=True,
        metavar="COLUMN",
        help="The objective, where it is not recorded; repeat it for several.",
    )


_READING = (
    click.argument("source"),
    _objective("-o", "--objective"),
    click.option("-d", "--direction", multiple=True, type=click.Choice(["minimize", "maximize"]),
                 help="Which way is better; one per objective.  [default: as recorded, or "
                 "minimize]"),
    click.option("-s", "--space", metavar="FILE",
                 help="JSON file with the domains, also of ConfigSpace.  [default: as recorded, or "
                 "inferred from the values]"),
    click.option("-p", "--parameter", "parameters", multiple=True, metavar="COLUMN",
                 help="Use this parameter only; repeatable."),
    click.option("--where", metavar="CONDITION",
                 help="Only trials that meet it, such as \"model == 'svm' and depth > 3\"."),
    click.option("--study", metavar="NAME",
                 help="The study or experiment, where a source holds several."),
    click.option("--budget", metavar="NUMBER",
                 help="The budget to use, where configurations were tried with several."
                 "  [default: the highest of each]"),
    click.option("--failure-value", "failure_values", multiple=True, type=float,
                 help="An objective value that stands for a failure; repeatable."),
    click.option("--outside", default="error", show_default=True,
                 type=click.Choice(["error", "nearest", "drop"]),
                 help="Values outside their domains."),
    click.option("--skip-corrupt", is_flag=True,
                 help="Pass over lines that cannot be read; they are counted."),
    click.option("--reader", metavar="NAME", help="Read the source with this reader; see sources."),
    click.option("--state", metavar="COLUMN", help="How trials ended: complete, pruned, failed."),
    click.option("--constraint", "constraints", multiple=True, metavar="COLUMN",
                 help="A constraint, violated above 0; repeatable."),
    click.option("--order", metavar="COLUMN",
                 help="The place of each trial in time.  [default: the order of the rows]"),
)  # fmt: skip
_ENGINES = (
    click.option("--engine", default="auto", show_default=True,
                 type=click.Choice(["auto", "memory", "stream"]),
                 help="Read all trials into memory, or count them in batches as they are read."),
    click.option("--backend", metavar="URL",
                 help="The database or cluster in which SOURCE is the name of a table: duckdb://…, "
                 "postgres://…, spark://…"),
)  # fmt: skip
_SETS = (
    click.option("--region-quantile", type=float, default=1.0, show_default=True,
                 help="γ: look only inside the best trials of this share."),
)  # fmt: skip
_METHOD = (
    click.option("--method", default="paper", show_default=True,
                 type=click.Choice(["paper", "calibrated"]),
                 help="The paper's estimator, or ours without its biases."),
)  # fmt: skip
_TRIALS = (
    click.option("--sampling", default="adaptive", show_default=True,
                 type=click.Choice(["adaptive", "random"]),
                 help="How trials were drawn; the test needs to know."),
    click.option("--pooling", default="auto", show_default=True,
                 type=click.Choice(["auto", "never", "always"]),
                 help="Domains that vary smoothly with other parameters."),
)  # fmt: skip
_NUMBERS = (
    click.option("--intervals", type=click.Choice(["half-sampling", "jackknife"]),
                 help="Intervals around the numbers."),
    click.option("--level", type=float, default=0.9, show_default=True,
                 help="How often an interval should hold the truth."),
    click.option("--seed", type=int, default=0, show_default=True,
                 help="Fixes the subsets that intervals are made from."),
    click.option("--measure", default="within", show_default=True,
                 type=click.Choice(["within", "standard", "unweighted", "unconditional"]),
                 help="The variance that counts as importance."),
    click.option("--reference", default="region", show_default=True,
                 type=click.Choice(["region", "space"]),
                 help="Compare the target set with the region set or with the whole space."),
)  # fmt: skip
_ENDINGS = (
    click.option("--failed", default="drop", show_default=True, type=_TREATMENT,
                 help="Failed trials."),
    click.option("--pruned", default="drop", show_default=True, type=_KEPT,
                 help="Pruned trials; keep: with the value that they had reached."),
    click.option("--nonfinite", default="drop", show_default=True, type=_TREATMENT,
                 help="Trials whose objective is NaN or infinite."),
    click.option("--infeasible", default="keep", show_default=True,
                 type=_KEPT, help="Infeasible trials."),
)  # fmt: skip

target_quantile_option = click.option(
    "-q",
    "--target-quantile",
    type=float,
    default=0.1,
    show_default=True,
    help="γ': the best trials of this share are the target.",
)


def analysis_options(command: Command) -> Command:
    """Add the source and the options that every analysis has."""
    return _added(
        command, *_READING, *_ENGINES, *_SETS, *_METHOD, *_TRIALS, *_NUMBERS, *_ENDINGS, *FORMS
    )


def comparison_options(command: Command) -> Command:
    """Add the source and the options that several methods share."""
    return _added(command, *_READING, *_SETS, *_TRIALS, *_ENDINGS, *FORMS)


def form_options(command: Command) -> Command:
    """Add the forms that a result can be shown in."""
    return _added(command, *FORMS)


def report_options(command: Command) -> Command:
    """Add the source and the options of an analysis whose ``-o`` is a file."""
    reading = (_READING[0], _objective("--objective"), *_READING[2:], *_ENGINES)
    return _added(command, *reading, *_SETS, *_METHOD, *_TRIALS, *_NUMBERS, *_ENDINGS, *FORMS)


def _added(command: Command, *options: Callable[[Command], Command]) -> Command:
    return reduce(lambda done, option: option(done), reversed(options), command)


def given(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options as the Python functions take them, those not given left out."""
    kept = {name: value for name, value in options.items() if value not in (None, ())}
    objective = kept.get("objective", ())
    if len(objective) == 1:
        kept["objective"] = objective[0]
    return {name: list(v) if isinstance(v, tuple) else v for name, v in kept.items()}
