"""What changed between two studies, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from condped.analyse.across.decision import DIFFERS, UNCLEAR
from condped.analyse.effects.sentences import digits_for
from condped.analyse.values import number_text
from condped.safe_text import listed, percent, printable, shortened
from condped.show.text.layout import table_lines, wrapped

if TYPE_CHECKING:
    from condped.analyse.across.branches import StudyBranch
    from condped.analyse.across.difference_result import Difference, ParameterDifference

_MOST_NAMES = 5


def difference_text(found: Difference) -> str:
    """Return the answer in a sentence, a line per parameter, and what limits the comparison."""
    rows = difference_rows(found)
    lines = [*wrapped(difference_answer(found)), ""]
    lines += [*table_lines(rows, right=set(range(1, len(rows[0]) - 1))), ""]
    lines += wrapped(difference_meaning(found))
    for note in difference_notes(found):
        lines += wrapped(note, "· ", "  ")
    return "\n".join(lines)


def difference_rows(found: Difference) -> list[tuple[str, ...]]:
    """Return a row per parameter under a header."""
    header = ("parameter", "before", "after", "explains", "", "difference", "interval", "p", "")
    return [header, *map(_row, found)]


def difference_meaning(found: Difference) -> str:
    """Return what the numbers mean."""
    return (
        "Before and after: importances. Compared is what a parameter explains of reaching the "
        "target set, in percent; an unbiased estimate of it may be below 0. The "
        f"{percent(found.level)} interval of a difference is for one parameter by itself, p is "
        f"adjusted for all parameters (Holm): changed up to p = {DIFFERS:g}, unclear up to "
        f"{UNCLEAR:g}."
    )


def difference_notes(found: Difference) -> list[str]:
    """Return which branches changed, and what limits the comparison."""
    notes = (*(one.sentence for one in found.branches_changed), *found.comparable)
    return list(map(printable, notes))


def difference_answer(found: Difference) -> str:
    """Return what matters more or less than before, what cannot be compared, and best values."""
    names = [shortened(study.name) for study in found.studies]
    which = (
        f"{names[0]} ({found.studies[0].used:,} trials) → {names[1]} ({found.studies[1].used:,})"
    )
    if found.same_trials:
        return f"{which}: both have the same trials, so there is nothing to compare."
    tested = [one for one in found if one.verdict != "not testable"]
    winners = _winners_that_changed(found)
    changed = [
        f"{', '.join(shortened(one.name) for one in found if one.verdict == verdict)} {word}"
        for verdict, word in (("more", "matters more"), ("less", "matters less"))
        if any(one.verdict == verdict for one in found)
    ]
    unclear = listed([one.name for one in found if one.verdict == "unclear"], _MOST_NAMES)
    not_compared = _not_compared(found)
    rest = f" Cannot be compared: {not_compared}." if not_compared else ""
    if changed:
        change = f"{'; '.join(changed)} than before"
        change += f" (unclear: {unclear})" if unclear else ""
    elif unclear:
        change = f"unclear whether a parameter matters more or less than before ({unclear})"
    elif tested:
        change = "no evidence that a parameter matters more or less than before"
        if any(study.learnt for study in found.studies):
            change += " (two runs of a sampler that learns can rarely show this)"
    else:
        change = f"no parameter could be compared{f': {not_compared}' if not_compared else ''}"
        rest = ""
    rest += f"{_target_trials_elsewhere(found)}{_best_values(found)}"
    return f"{which}: {'; '.join((*winners, change))}.{rest}"


def _not_compared(found: Difference) -> str:
    """Return the parameters that cannot be compared, grouped by reason."""
    reasons: dict[str, list[str]] = {}
    for one in found:
        if one.reason:
            reasons.setdefault(one.reason, []).append(one.name)
    parts = [
        f"{listed(names, _MOST_NAMES)} ({why if len(names) == 1 else _of_several(why)})"
        for why, names in reasons.items()
    ]
    return "; ".join(parts)


def _of_several(why: str) -> str:
    return (
        why.replace("have it", "have them")
        .replace("has it", "has them")
        .replace("it explains", "they explain")
    )


def _best_values(found: Difference) -> str:
    """Return the best value of both studies; empty if one is unknown."""
    known = [value for value in found.best if value is not None]
    if len(known) < 2:
        return ""
    digits = digits_for(known)
    return f" Best value: {' → '.join(number_text(value, digits) for value in known)}."


def _winners_that_changed(found: Difference) -> list[str]:
    """Return how the winning branches of gates changed."""
    gates: dict[str, dict[str, list[str]]] = {}
    for one in found.branches_changed:
        gates.setdefault(one.gate, {}).setdefault(one.verdict, []).append(shortened(one.branch))
    words = []
    for gate, own in gates.items():
        lost, won = (listed(own.get(kind, ()), _MOST_NAMES) for kind in ("won before", "wins now"))
        shown = shortened(gate)
        if lost and won:
            words.append(f"the winning branch of {shown} changed from {lost} to {won}")
        else:
            words.append(f"{lost or won} of {shown} {'no longer wins' if lost else 'wins now'}")
    return words


def _target_trials_elsewhere(found: Difference) -> str:
    """Return where most target trials of a gate moved to another branch, without evidence."""
    changed = {one.gate for one in found.branches_changed}
    learnt = any(study.learnt for study in found.studies)
    luck = "with samplers that learn this may be luck" if learnt else "this may be chance"
    text = ""
    for gate in dict.fromkeys(one.gate for one in found.branches):
        before, after = (_leading(found, gate, study.name) for study in found.studies)
        if gate in changed or not (before and after) or before.branch == after.branch:
            continue
        counts = ", ".join(
            f"{shortened(one.branch)} {one.target_trials} of {one.target_of} {when}"
            for one, when in ((before, "before"), (after, "after"))
        )
        text += f" Target trials of {shortened(gate)}: {counts}; {luck}."
    return text


def _leading(found: Difference, gate: str, study: str) -> StudyBranch | None:
    """Return the branch with most of a study's target trials; None if no branch has most."""
    own = (one for one in found.branches if (one.gate, one.study) == (gate, study))
    return next((one for one in own if 2 * one.target_trials > one.target_of), None)


def _row(one: ParameterDifference) -> tuple[str, ...]:
    numbers = ("–", "–", "–")
    if one.difference is not None and one.low is not None and one.high is not None:
        numbers = (
            _points(one.difference),
            f"[{_points(one.low)}, {_points(one.high)}]",
            "–" if one.adjusted_p_value is None else f"{one.adjusted_p_value:.2g}",
        )
    shares = tuple(
        "–" if share is None else _whole(share)
        for share in (one.explained_before, one.explained_after)
    )
    return (
        shortened(one.name), f"{one.before:.3f}", f"{one.after:.3f}", shares[0], f"→ {shares[1]}",
        *numbers, one.verdict,
    )  # fmt: skip


def _points(difference: float) -> str:
    return f"{round(100 * difference):+d}"


def _whole(share: float) -> str:
    return f"{round(100 * share)}"  # a whole number has no minus in front of 0
