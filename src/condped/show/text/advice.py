"""Advice as plain text."""

from __future__ import annotations

from collections.abc import Iterable

from condped.analyse.advice.result import Advice
from condped.analyse.advice.steps import Step
from condped.safe_text import listed, percent, shortened
from condped.show.text.account import account_lines, advice_headline
from condped.show.text.layout import wrapped, wrapped_each
from condped.show.text.tables import first_lines
from condped.show.words import tie_lines, tie_remark

_INDENT = " " * 9
MOST_STEPS = 20
_MOST_NAMES = 12
FOR_OPTUNA = (
    "For Optuna, in a new study, as choices must not change within one. (If these trials are an "
    "Optuna study, advice.start(study) continues with your own code instead.)"
)


def advice_text(advice: Advice) -> str:
    """Return the steps, what they keep in total, and what to leave."""
    result = advice.importance
    lines = first_lines(tie_lines(result.tie))
    lines += [*wrapped(advice_headline(result)), ""]
    changes = advice.changes
    steps = [step for step in advice.steps if step.kind != "leave"]
    for step in steps[:MOST_STEPS]:
        lines += _step(step)
    if len(steps) > MOST_STEPS:
        lines.append(f"… and {len(steps) - MOST_STEPS} more steps")
    if changes:
        lines += ["", *wrapped(together_sentence(advice))]
    else:
        lines += [""] if steps else []
        lines += wrapped(nothing_sentence(advice))
    left = left_as_they_are(advice.steps)
    lines += ["", "Leave as they are:"] if left else []
    lines += wrapped_each(left, "  ", "    ")
    if changes:
        lines += ["", *wrapped(FOR_OPTUNA), "", *advice.optuna_code().splitlines()]
    sets = tie_remark(result.tie, advice.target_size)
    lines += ["", *wrapped_each(advice.notes)]
    return "\n".join([*lines, *account_lines(result.account, result.settings, sets)])


def left_as_they_are(steps: Iterable[Step]) -> list[str]:
    """Return which parameters do not change, grouped by reason."""
    by_reason: dict[str, list[str]] = {}
    for step in steps:
        if step.kind == "leave":
            by_reason.setdefault(step.reason, []).append(step.parameter)
    return [
        f"{listed(list(dict.fromkeys(names)), _MOST_NAMES)}: {reason}"
        for reason, names in by_reason.items()
    ]


def step_line(step: Step) -> str:
    """Return what a step changes."""
    assert step.proposal is not None
    return f"{step.kind:<9}{step_name(step)}: {step.domain.label} → {step.proposal.label}"


def step_name(step: Step) -> str:
    """Return the parameter of a step, with its regime if it has several."""
    where = "" if step.regime is None else f" (where it is in {step.regime})"
    return f"{shortened(step.parameter)}{where}"


def _step(step: Step) -> list[str]:
    kept = (
        f"keeps {step.kept} of {step.of} target trials in {percent(step.covered)} of the "
        f"domain. {step.reason}"
    )
    if step.kind == "widen":
        kept = f"{step.reason} {step.risk}"
    return [*wrapped(step_line(step), then=_INDENT), *wrapped(kept, _INDENT, _INDENT)]


def nothing_sentence(advice: Advice) -> str:
    """Return why nothing is left out, or nothing is changed at all."""
    what = "Leave out" if advice.widenings else "Change"
    return f"{what} nothing: {advice.why_nothing}"


def together_sentence(advice: Advice) -> str:
    """Return what all steps together keep, and what they risk."""
    before = advice.target_size / max(advice.region_size, 1)
    after = advice.kept_target / max(advice.kept_region, 1)
    gone = ""
    if advice.dropped:
        become = "becomes" if len(advice.dropped) == 1 else "become"
        gone = f" {listed(advice.dropped, _MOST_NAMES)} {become} inactive."
    return (
        f"Together they keep {advice.kept_target} of {advice.target_size} target trials and "
        f"{advice.kept_region} of {advice.region_size} trials: {percent(after)} of those that "
        f"stay are in the target set, instead of {percent(before)}.{gone} {advice.risk}"
    )
