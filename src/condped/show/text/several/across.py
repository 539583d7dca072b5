"""Several studies side by side, as plain text."""

from __future__ import annotations

from collections.abc import Sequence

from condped.analyse.across.decision import DIFFERS, UNCLEAR
from condped.analyse.across.result import Across, ComparedStudy, PooledParameter, StudyImportance
from condped.safe_text import listed, percent, printable, shortened
from condped.show.across_answer import VERDICT_MARKS, answer_of
from condped.show.across_branches import BRANCH_MEANING, standings
from condped.show.text.layout import table_lines, text_width, width_of, wrapped, wrapped_each
from condped.show.words import p_text, share_text

MOST_ROWS = 30
_MOST_NAME, _NARROW_NAME = 28, 12
_MOST_STUDY = 12  # letters of a study's name above its column
_MOST_ODD = 2
_MOST_BRANCHES = 12
_MOST_NOTES = 8
_MOST_NAMED = 12  # names of studies that are listed
_WIDE = 80  # columns at which there is room for bars
_BAR = 12
_ODD = "!"
_LEGEND = "● matters, ◐ unclear, ○ no evidence, – not testable"
BY_STUDY = (
    f"Importance by study: {_LEGEND}, {_ODD} odd; empty: the study does not have the parameter."
)
NOTHING = "Nothing can be said about any parameter."
MEANING = (
    "importance: the mean over the studies, equally weighted, with an interval for studies like "
    "these. Whether studies differ, and which is odd, is judged by what a parameter explains of "
    "reaching a study's target set, estimated without bias: p is adjusted for all parameters; "
    f"studies differ up to p = {DIFFERS:g}, unclear up to {UNCLEAR:g}."
)


def across_text(across: Across) -> str:
    """Return the answer, the pooled parameters, those of each study, branches and notes."""
    lines = [*wrapped(across_headline(across)), ""]
    lines += wrapped_each(answer_of(across).sentences)
    shown = across.parameters[:MOST_ROWS]
    lines += ["", *_pooled(across, shown)]
    lines += wrapped_each(pooled_left_out(across), then="  ")
    if len(across.studies) > 1 and shown:
        lines += ["", *_by_study(across, shown)]
    if across.branches:
        lines += ["", *_branches(across)]
    lines += ["", *wrapped(MEANING)]
    if across.branches:
        lines += wrapped(BRANCH_MEANING)
    lines += wrapped_each(across_notes(across), then="  ")
    return "\n".join(lines)


def pooled_left_out(across: Across) -> list[str]:
    """Return how many parameters have no row."""
    hidden = across.parameters[MOST_ROWS:]
    if not hidden:
        return []
    most = max(parameter.importance for parameter in hidden)
    anywhere = sum(bool(parameter.matters_in) for parameter in hidden)
    matter = f"{anywhere} of them {'matters' if anywhere == 1 else 'matter'} in some study"
    some = "1 more parameter" if len(hidden) == 1 else f"{len(hidden)} more parameters"
    return [f"… and {some}, none above {share_text(most)}; {matter}"]


def across_notes(across: Across) -> list[str]:
    """Return the first notes, and how many more there are."""
    notes = [printable(note) for note in across.notes[:_MOST_NOTES]]
    more = len(across.notes) - _MOST_NOTES
    if more > 0:
        some = "1 more note" if more == 1 else f"{more} more notes"
        notes.append(f"… and {some}: result.notes has all.")
    return notes


def across_headline(across: Across) -> str:
    """Return the question that the comparison answers."""
    used = [study.used for study in across.studies]
    each = f"{min(used):,} to {max(used):,} each" if min(used) < max(used) else f"{used[0]:,} each"
    count = len(used)
    studies = f"{count:,} studies with {sum(used):,} trials ({each})"
    if count == 1:
        studies = f"one study with {sum(used):,} trials"
    best = f"reaching the best {percent(across.target_quantile)}"
    return f"What mattered for {best} in {studies}"


def _pooled(across: Across, shown: Sequence[PooledParameter]) -> list[str]:
    """Return the table of parameters over all studies."""
    wide = text_width() >= _WIDE
    header = ["parameter", "importance", percent(across.level), *([""] if wide else []),
              "matters in" if wide else "matters", "between studies" if wide else "between",
              "odd"]  # fmt: skip
    rows = [
        [
            shortened(one.name, _MOST_NAME if wide else _NARROW_NAME),
            *pooled_numbers(one),
            *(["█" * round(one.importance * _BAR)] if wide else []),
            f"{one.matters_in} of {one.studies}",
            agreement_words(one) if wide else one.agreement,
            listed(one.odd, _MOST_ODD) if one.odd else "",
        ]
        for one in shown
    ]
    if not rows:
        return [NOTHING]
    columns = [column for column in zip(header, *rows, strict=True) if any(column[1:])]
    right = {
        p for p, column in enumerate(columns) if column[0].startswith(("importance", "matters"))
    }
    return [_cut(line) for line in table_lines(list(zip(*columns, strict=True)), right)]


def pooled_numbers(parameter: PooledParameter) -> tuple[str, str]:
    """Return a parameter's importance over all studies, and its interval."""
    return share_text(parameter.importance), f"{parameter.low:.3f}–{parameter.high:.3f}"


def agreement_words(parameter: PooledParameter) -> str:
    """Return whether studies agree on a parameter, with the adjusted p-value."""
    if parameter.adjusted_p_value is None:
        return parameter.agreement
    return f"{parameter.agreement} ({p_text(parameter.adjusted_p_value)})"


def _cut(line: str) -> str:
    return line if width_of(line) <= text_width() else line[: text_width() - 1] + "…"


def _by_study(across: Across, shown: Sequence[PooledParameter]) -> list[str]:
    """Return the parameters by study: numbers if there is room, otherwise a mark each."""
    names = [shortened(one.name, _MOST_NAME) for one in shown]
    studies = across.studies
    heads = [shortened(study.name, _MOST_STUDY) for study in studies]
    room = text_width() - max(map(width_of, names)) - 2
    if sum(max(width_of(head), 6) + 2 for head in heads) - 2 <= room:
        cells = [study_numbers(across, one, studies) for one in shown]
        table = [["", *heads], *([name, *row] for name, row in zip(names, cells, strict=True))]
        return [
            *table_lines(table, right=set(range(1, len(heads) + 1))),
            *wrapped(BY_STUDY),
        ]
    fit = studies[:room]
    table = [[name, _strip(across, one, fit)] for name, one in zip(names, shown, strict=True)]
    order = listed([study.name for study in fit], _MOST_NAMED)
    left = len(studies) - len(fit)
    some = "1 more study is" if left == 1 else f"{left:,} more studies are"
    rest = f" {some} in result.rows() and on the page." if left else ""
    legend = (
        f"One mark per study ({_LEGEND}, {_ODD} odd, empty: it does not have the parameter), in "
        f"this order: {order}.{rest}"
    )
    return [*table_lines(table, right=()), *wrapped(legend)]


def study_numbers(
    across: Across, parameter: PooledParameter, studies: Sequence[ComparedStudy]
) -> list[str]:
    """Return a parameter's importance in each study, with the mark of its verdict."""
    return [_number(across.cell(parameter.name, study.name), study) for study in studies]


def _number(cell: StudyImportance | None, study: ComparedStudy) -> str:
    if cell is None:
        return ""
    if study.reason is not None:
        return "?"
    return f"{cell.importance:.2f} {VERDICT_MARKS[cell.verdict]}{_ODD if cell.odd else ' '}"


def _strip(across: Across, one: PooledParameter, studies: Sequence[ComparedStudy]) -> str:
    def mark(study: ComparedStudy) -> str:
        cell = across.cell(one.name, study.name)
        if cell is None:
            return " "
        if study.reason is not None:
            return "?"
        return _ODD if cell.odd else VERDICT_MARKS[cell.verdict]

    return "".join(map(mark, studies))


def _branches(across: Across) -> list[str]:
    """Return in how many studies each branch wins and loses, and where its target trials are."""
    rows = branch_standings(across)
    lines = [_cut(line) for line in table_lines(rows, right=set(range(1, 6)))]
    return lines + branches_left_out(across)


def branches_left_out(across: Across) -> list[str]:
    """Return how many branches have no row."""
    more = len(standings(across.branches)) - _MOST_BRANCHES
    return [f"… and {more} more: result.branch_rows() has all."] if more > 0 else []


def branch_standings(across: Across) -> list[list[str]]:
    """Return a row per branch under a header."""
    found = standings(across.branches)
    totals: dict[tuple[str, str], list[int]] = {}
    for one in across.branches:
        sums = totals.setdefault((one.gate, one.branch), [0, 0])
        sums[0] += one.target_trials
        sums[1] += one.trials
    header = ["branch", "wins in", "loses in", "neither", "target", "trials"]
    rows = [
        [
            f"{shortened(one.gate, _NARROW_NAME)}: {shortened(one.branch, _MOST_NAME)}",
            *(str(len(names)) for names in (one.wins, one.loses, one.open)),
            *(f"{total:,}" for total in totals[one.gate, one.branch]),
        ]
        for one in found[:_MOST_BRANCHES]
    ]
    return [header, *rows]
