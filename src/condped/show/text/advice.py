"""Advice as plain text."""

from __future__ import annotations

from condped.analyse.advice.result import Advice, Step
from condped.safe_text import listed, shortened
from condped.show.text.account import account_lines, headline
from condped.show.text.layout import wrapped
from condped.show.text.tables import first_lines
from condped.show.words import tie_lines, tie_remark

_INDENT = " " * 9
_MOST_STEPS = 20
_MOST_NAMES = 12


def advice_text(advice: Advice) -> str:
    """Return the steps, what they keep together, and what to leave."""
    result = advice.importance
    title = headline(result.account, result.settings, result.target_quantile)
    lines = first_lines(tie_lines(result.tie))
    lines += [*wrapped(title.replace("What mattered for", "What to do next, for", 1)), ""]
    changes = advice.changes
    steps = [step for step in advice.steps if step.kind != "leave"]
    for step in steps[:_MOST_STEPS]:
        lines += _step(step)
    if len(steps) > _MOST_STEPS:
        lines.append(f"… and {len(steps) - _MOST_STEPS} more steps")
    if changes:
        lines += ["", *wrapped(_together(advice))]
    else:
        lines += [""] if steps else []
        lines += wrapped(f"{'Leave out' if steps else 'Change'} nothing: {advice.why_nothing}")
    left = [step for step in advice.steps if step.kind == "leave"]
    by_reason: dict[str, list[str]] = {}
    for step in left:
        by_reason.setdefault(step.reason, []).append(step.parameter)
    if left:
        lines += ["", "Leave as they are:"]
    for reason, names in by_reason.items():
        shown = listed(list(dict.fromkeys(names)), _MOST_NAMES)
        lines += wrapped(f"{shown}: {reason}", "  ", "    ")
    if changes:
        told = (
            "For Optuna (in a new study: the choices of an old one must not change; or go on with "
            "your own code by advice.start(study)):"
        )
        lines += ["", *wrapped(told), ""]
        lines += advice.optuna_code().splitlines()
    sets = tie_remark(result.tie, advice.target_size)
    return "\n".join(
        [*lines, "", *_noted(advice.notes), *account_lines(result.account, result.settings, sets)]
    )


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


def _together(advice: Advice) -> str:
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
