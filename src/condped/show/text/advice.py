"""Advice as plain text."""

from __future__ import annotations

from collections.abc import Iterable

from condped.analyse.advice.result import Advice
from condped.analyse.advice.steps import Step
from condped.safe_text import listed, shortened
from condped.show.text.account import account_lines, headline
from condped.show.text.layout import wrapped
from condped.show.text.tables import first_lines
from condped.show.words import tie_lines, tie_remark

_INDENT = " " * 9
MOST_STEPS = 20
_MOST_NAMES = 12
FOR_OPTUNA = (
    "For Optuna, in a new study: the choices of an old one must not change. (If these trials are a "
    "study of Optuna, advice.start(study) goes on with your own code instead.)"
)


def advice_text(advice: Advice) -> str:
    """Return the steps, what they keep together, and what to leave."""
    result = advice.importance
    title = headline(result.account, result.settings, result.target_quantile)
    lines = first_lines(tie_lines(result.tie))
    lines += [*wrapped(title.replace("What mattered for", "What to do next, for", 1)), ""]
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
        lines += wrapped(f"{'Leave out' if steps else 'Change'} nothing: {advice.why_nothing}")
    left = left_as_they_are(advice.steps)
    lines += ["", "Leave as they are:"] if left else []
    for said in left:
        lines += wrapped(said, "  ", "    ")
    if changes:
        lines += ["", *wrapped(FOR_OPTUNA), "", *advice.optuna_code().splitlines()]
    sets = tie_remark(result.tie, advice.target_size)
    return "\n".join(
        [*lines, "", *_noted(advice.notes), *account_lines(result.account, result.settings, sets)]
    )


def left_as_they_are(steps: Iterable[Step]) -> list[str]:
    """Say which parameters do not change, those with the same reason together."""
    by_reason: dict[str, list[str]] = {}
    for step in steps:
        if step.kind == "leave":
            by_reason.setdefault(step.reason, []).append(step.parameter)
    return [
        f"{listed(list(dict.fromkeys(names)), _MOST_NAMES)}: {reason}"
        for reason, names in by_reason.items()
    ]


def _step(step: Step) -> list[str]:
    name = shortened(step.parameter)
    where = "" if step.regime is None else f" (where it is in {step.regime})"
    assert step.proposal is not None
    told = f"{step.kind:<9}{name}{where}: {step.domain.label} → {step.proposal.label}"
    kept = (
        f"keeps {step.kept} of {step.of} target trials in {100 * step.covered:.3g} % of the "
        f"domain. {step.reason}"
    )
    if step.kind == "widen":
        kept = f"{step.reason} {step.risk}"
    text = wrapped(told, then=_INDENT)
    return text + wrapped(kept, _INDENT, _INDENT)


def together_sentence(advice: Advice) -> str:
    """Say what all steps keep together, and what they risk."""
    before = advice.target_size / max(advice.region_size, 1)
    after = advice.kept_target / max(advice.kept_region, 1)
    gone = ""
    if advice.dropped:
        become = "becomes" if len(advice.dropped) == 1 else "become"
        gone = f" {listed(advice.dropped, _MOST_NAMES)} {become} inactive."
    return (
        f"All together keep {advice.kept_target} of {advice.target_size} target trials and "
        f"{advice.kept_region} of {advice.region_size} trials: {100 * after:.3g} % of those that "
        f"stay are in the target set, instead of {100 * before:.3g} %.{gone} {advice.risk}"
    )


def _noted(notes: tuple[str, ...]) -> list[str]:
    return [line for note in notes for line in wrapped(note)]
