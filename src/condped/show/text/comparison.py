"""A comparison as plain text: a column for each method, a row for each parameter."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import Any, TypeAlias

from condped.comparison.compare import Comparison
from condped.safe_text import percent, printable, shortened
from condped.show.text.account import best_share, data_lines, goals, trial_lines
from condped.show.text.layout import table_lines, text_width, width_of, wrapped, wrapped_each
from condped.show.text.tables import first_lines
from condped.show.words import UNATTRIBUTED, UNATTRIBUTED_WORDS, is_shared, tie_lines

Row: TypeAlias = dict[str, Any]
_MOST_ROWS = 30
_LEAST_NAME = 9  # letters
# By method: the heading over its columns, and the name of the column.
TITLES = {
    "paper": ("condPED-ANOVA", "paper"),
    "calibrated": ("condPED-ANOVA", "calibrated"),
    **{
        f"{method}/{absent}": (title, column)
        for method, title in (
            ("ped-anova", "PED-ANOVA"),
            ("f-anova", "f-ANOVA"),
            ("mdi", "MDI"),
            ("shap", "SHAP"),
        )
        for absent, column in (("filtering", "filter"), ("imputation", "impute"))
    },
}
_LEGENDS = {
    "condPED-ANOVA": "reaching the best trials, each parameter within its regimes; calibrated "
    "without the paper's biases, and 0 without evidence of an effect.",
    "PED-ANOVA": "reaching the best trials, as if there were no conditions.",
    "f-ANOVA": "share of the objective's variance over the space, by a random forest.",
    "MDI": "how much splits on it help a random forest predict the objective.",
    "SHAP": "how far it moves a random forest's predictions of the objective.",
    "filter": "each parameter judged by the trials that have it.",
    "impute": "the middle of its domain, or its first choice, where a parameter is absent.",
}


def comparison_text(comparison: Comparison) -> str:
    """Return the table, what its columns mean, and what the numbers are based on."""
    lines = first_lines(tie_lines(comparison.tie))
    lines += [*wrapped(comparison_headline(comparison)), "", *_table(comparison), ""]
    return "\n".join([*lines, *wrapped_each(comparison_remarks(comparison), then="  ")])


def comparison_remarks(comparison: Comparison) -> list[str]:
    """Return what the columns mean, and what the numbers are based on."""
    titles = [TITLES[method] for method in comparison]
    meant = dict.fromkeys([title for title, _ in titles] + [column for _, column in titles])
    remarks = [f"{key}: {_LEGENDS[key]}" for key in filter(_LEGENDS.__contains__, meant)]
    results = [comparison[method] for method in comparison]
    if any(is_shared(result.unattributed) for result in results):
        remarks.append(UNATTRIBUTED_WORDS)
    reasons = dict.fromkeys(result.reason for result in results if result.reason)
    remarks += [f"?: undetermined: {reason}" for reason in reasons]
    remarks += trial_lines(results[0].account)
    # How trials are treated differs between methods: each remark once.
    done = [note for r in results for note in (*data_lines(r.account), *r.account.notes)]
    return [*remarks, *map(printable, dict.fromkeys([*done, *comparison.notes]))]


def comparison_headline(comparison: Comparison) -> str:
    """Return the question that all methods answer."""
    results = [comparison[method] for method in comparison]
    account = results[0].account
    best = next((r.target_quantile for r in results if r.target_quantile), None)
    about = ""
    if best:
        about = f"; best {percent(best_share(account, best))} where best trials count"
    return f"What each method says about {account.trials.used} trials ({goals(account)}{about})"


def _table(comparison: Comparison) -> list[str]:
    """Return two lines of headings and a line for each parameter, within the width."""
    titles, columns = _headings(list(comparison))
    room = max(_LEAST_NAME, text_width() - sum(2 + len(column) for column in columns))
    rows = [["parameter", *columns]]
    rows += [[_fit_name(name, room), *numbers] for name, *numbers in comparison_rows(comparison)]
    first = max(width_of(row[0]) for row in rows)
    lines = [(" " * first + titles).rstrip(), *table_lines(rows, right=range(1, len(columns) + 1))]
    return lines + rows_left_out(comparison)


def comparison_rows(comparison: Comparison) -> list[list[str]]:
    """Return a row for each parameter, and one for what is unattributed."""
    rows = [
        [row["parameter"], *("?" if n is None else f"{n:.3f}" for n in map(row.get, comparison))]
        for row in _split(comparison)[0]
    ]
    left = [comparison[method].unattributed for method in comparison]
    if any(map(is_shared, left)):
        rows.append([UNATTRIBUTED, *(f"{one:.3f}" if is_shared(one) else "" for one in left)])
    return rows


def rows_left_out(comparison: Comparison) -> list[str]:
    """Return how many parameters have no row."""
    _, hidden = _split(comparison)
    most = max(map(_highest, hidden), default=0.0)
    some = f"… and {len(hidden)} more parameters with at most {most:.3f} in any column"
    return [some] if hidden else []


def _split(comparison: Comparison) -> tuple[list[Row], list[Row]]:
    """Return the rows to show and those to leave out, of the least importance to every method."""
    rows = comparison.rows()
    ranked = sorted(rows, key=_highest, reverse=True)
    least = {row["parameter"] for row in ranked[_MOST_ROWS:]}
    return (
        [row for row in rows if row["parameter"] not in least],
        [row for row in rows if row["parameter"] in least],
    )


def _highest(row: Row) -> float:
    """Return the highest importance that any method gives to a parameter."""
    numbers = [number for column, number in row.items() if column != "parameter"]
    return max((number for number in numbers if number is not None), default=0.0)


def _fit_name(name: str, room: int) -> str:
    """Return a name of at most ``room`` columns; some letters take two."""
    sizes = range(room, 2, -1)
    fitting = (short for size in sizes if width_of(short := shortened(name, size)) <= room)
    return next(fitting)


def _headings(methods: list[str]) -> tuple[str, list[str]]:
    """Return the line of methods over their columns, and the padded column names."""
    upper, lower = "", []
    for title, group in groupby([TITLES[method] for method in methods], key=itemgetter(0)):
        columns = [column for _, column in group]
        wide = [len(column) for column in columns]
        # The title spans its columns; a title that is longer widens the last of them.
        span = sum(wide) + 2 * (len(wide) - 1)
        wide[-1] += max(0, len(title) - span)
        upper += f"  {title:^{max(span, len(title))}}"
        lower += [f"{column:>{width}}" for column, width in zip(columns, wide, strict=True)]
    return upper, lower
