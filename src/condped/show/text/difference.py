"""What changed between two studies, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from condped.safe_text import listed, printable, shortened
from condped.show.text.layout import percent, table_lines, wrapped

if TYPE_CHECKING:
    from condped.analyse.across.branches import StudyBranch
    from condped.analyse.across.difference_result import Difference, ParameterDifference

_MOST_NAMES = 5


def difference_text(found: Difference) -> str:
    """Return the answer in a sentence, a line per parameter, and what limits the comparison."""
    header = ("parameter", "before", "after", "explains", "", "difference", "interval", "p", "")
    rows = [_row(parameter) for parameter in found]
    lines = [*wrapped(difference_answer(found)), ""]
    lines += table_lines([header, *rows], right=set(range(1, len(header) - 1)))
    lines += ["", *wrapped(
        "Before and after: importances. Compared is what a parameter explains of reaching the "
        "target set, in percent; an unbiased estimate of it may be below 0. The "
        f"{percent(found.level)} interval of a difference is for one parameter by itself, p is "
        "adjusted for all parameters (Holm)."
    )]  # fmt: skip
    for note in (*(one.sentence for one in found.branches_changed), *found.comparable):
        lines += wrapped(printable(note), "· ", "  ")
    return "\n".join(lines)


def difference_answer(found: Difference) -> str:
    """Return in a sentence what matters more or less than before."""
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
    if changed:
        told = f"{'; '.join(changed)} than before"
    elif tested:
        told = "no evidence that a parameter matters more or less than before"
        if any(study.learnt for study in found.studies):
            told += " (two runs of a sampler that learns can hardly ever show this)"
    else:
        told = "no parameter could be compared"
    return f"{which}: {'; '.join((*winners, told))}.{_target_trials_elsewhere(found)}"


def _winners_that_changed(found: Difference) -> list[str]:
    """Say of which gates another branch wins than before."""
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
    """Say of which gates most target trials lie in another branch, where no change is proven."""
    changed = {one.gate for one in found.branches_changed}
    learnt = any(study.learnt for study in found.studies)
    luck = "with samplers that learn this may be luck" if learnt else "this may be chance"
    told = ""
    for gate in dict.fromkeys(one.gate for one in found.branches):
        before, after = (_leading(found, gate, study.name) for study in found.studies)
        if gate in changed or not (before and after) or before.branch == after.branch:
            continue
        counts = ", ".join(
            f"{shortened(one.branch)} {one.target_trials} of {one.target_of} {when}"
            for one, when in ((before, "before"), (after, "after"))
        )
        told += f" Target trials of {shortened(gate)}: {counts}; {luck}."
    return told


def _leading(found: Difference, gate: str, study: str) -> StudyBranch | None:
    """Return the branch that most target trials of a study lie in; None: there is none."""
    own = (one for one in found.branches if (one.gate, one.study) == (gate, study))
    return next((one for one in own if 2 * one.target_trials > one.target_of), None)


def _row(one: ParameterDifference) -> tuple[str, ...]:
    told = ("–", "–", "–")
    if one.difference is not None and one.low is not None and one.high is not None:
        told = (
            f"{100 * one.difference:+.0f}",
            f"[{100 * one.low:+.0f}, {100 * one.high:+.0f}]",
            "–" if one.adjusted_p_value is None else f"{one.adjusted_p_value:.2g}",
        )
    shares = tuple(
        "–" if share is None else _whole(share)
        for share in (one.explained_before, one.explained_after)
    )
    return (
        shortened(one.name), f"{one.before:.3f}", f"{one.after:.3f}", shares[0], f"→ {shares[1]}",
        *told, one.verdict,
    )  # fmt: skip


def _whole(share: float) -> str:
    return f"{round(100 * share)}"  # a whole number has no minus in front of 0
