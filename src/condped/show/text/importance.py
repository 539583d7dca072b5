"""Results as plain text: the tables that ``print(result)`` shows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING
from unicodedata import east_asian_width

from condped.analyse.importance.account import Account
from condped.estimate.settings import BaselineSettings, Settings
from condped.show.text.layout import text_width, wrapped

if TYPE_CHECKING:
    from condped.analyse.importance.result import ImportanceResult, ParameterImportance
    from condped.analyse.importance.sweep import SweepResult

_MOST_ROWS = 30
_MOST_NAME = 32
_MOST_REGIMES = 72
_LEAST_LAST = 14  # columns of the last column, whatever the width
_BAR = 20
# A sweep shows about ten quantiles and the parameters with the highest peaks.
_SWEEP_ROWS = 11
_SWEEP_NAME = 14
OVER = 1.0005  # from here on η² is no share
OVER_WORDS = "η² above 1 is no share: smoothing over-states it where trials are few."


def summary(result: ImportanceResult) -> str:
    """Return the parameters with a bar each, then what the numbers are based on."""
    lines = [*_question(result.account, result.settings, result.target_quantile), ""]
    if result.status != "ok":
        lines += [*wrapped(f"Undetermined: {result.reason}"), ""]
    header, rows = _columns(result)
    right = {1, 3}
    if result.quickly_tested:
        header.insert(4, "verdict")
        for row, parameter in zip(rows, result.parameters, strict=False):
            row.insert(4, result.evidence[parameter.name].verdict)
    if result.level is not None:
        header.insert(2, _percent(result.level))
        for row, parameter in zip(rows, result.parameters, strict=False):
            row.insert(2, _interval(parameter))
        right = {1, 4}
    lines += table_lines(header, _last_fitted(header, rows), right=right)
    hidden = result.parameters[_MOST_ROWS:]
    if hidden:
        rest = sum(parameter.importance for parameter in hidden)
        lines.append(f"… and {len(hidden)} more with {rest:.3f} together")
    sets = f"{result.target_size} in the target set"
    quantile = result.target_quantile
    if quantile and result.target_size > math.ceil(quantile * result.account.trials.used):
        sets += " (with all that equal its last one)"
    told = []
    if any(parameter.eta_squared >= OVER for parameter in result.parameters[:_MOST_ROWS]):
        told += wrapped(OVER_WORDS)
    if result.quickly_tested and result.status == "ok":
        told += wrapped(result.evidence.message)
    account = account_lines(result.account, result.settings, sets)
    return "\n".join([*lines, "", *told, *account])


def _columns(result: ImportanceResult) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows of what every result of this kind shows."""
    shown = result.parameters[:_MOST_ROWS]
    width = text_width()
    longest = _BAR if width >= 100 else _BAR // 2 if width >= 80 else 0
    most = _MOST_NAME if width >= 80 else _MOST_NAME // 2
    rows = [
        [shortened(p.name, most), f"{p.importance:.3f}", "█" * round(p.importance * longest)]
        for p in shown
    ]
    if isinstance(result.settings, BaselineSettings):
        for row, p in zip(rows, shown, strict=True):
            row.append(f"{p.variance:.4g}")
        return ["parameter", "importance", "", "score"], rows
    pooled = {entry.parameter for entry in result.account.pooled}
    for row, p in zip(rows, shown, strict=True):
        row += [
            "> 1" if p.eta_squared >= OVER else f"{p.eta_squared:.3f}",
            _regimes(p, p.name in pooled),
        ]
    return ["parameter", "importance", "", "η²", "active as"], rows


def _last_fitted(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the rows with the last column cut to what is left of the width."""
    before = [max(width_of(row[i]) for row in [header, *rows]) for i in range(len(header) - 1)]
    room = max(_LEAST_LAST, text_width() - sum(before) - 2 * len(before))
    return [[*row[:-1], _cut(row[-1], room)] for row in rows]


def _interval(parameter: ParameterImportance) -> str:
    if parameter.intervals is None:
        return ""
    interval = parameter.intervals.importance
    return f"{interval.low:.3f}–{interval.high:.3f}"


def sweep_summary(curve: SweepResult) -> str:
    """Return the course of the importances, then what the numbers are based on."""
    lines = [*_question(curve.account, curve.settings, None), ""]
    if curve.status != "ok":
        lines += [*wrapped(f"Undetermined: {curve.reason}"), ""]
    peaks = curve.importance.max(axis=0, initial=0.0)
    most = max(1, (text_width() - 6) // (_SWEEP_NAME + 2))
    shown = sorted(range(len(curve.names)), key=lambda p: -peaks[p])[:most]
    last, points = len(curve) - 1, min(len(curve), _SWEEP_ROWS)
    quantiles = sorted({round(last * point / max(points - 1, 1)) for point in range(points)})
    header = ("γ'", *(shortened(curve.names[p], _SWEEP_NAME) for p in shown))
    rows = [
        (
            f"{curve.target_quantiles[t]:.3g}",
            *(f"{curve.importance[t, p]:.3f}" if curve.determined[t] else "?" for p in shown),
        )
        for t in quantiles
    ]
    lines += table_lines(header, rows, right=set(range(len(header))))
    if len(curve.names) > len(shown):
        lines.append(f"… and {len(curve.names) - len(shown)} more with lower peaks")
    unknown = int((~curve.determined).sum())
    if unknown and curve.status == "ok":
        reason = next(reason for reason in curve.reasons if reason is not None)
        lines += wrapped(f"? at {unknown} of {len(curve)} quantiles: {reason}")
    low, high = curve.target_sizes[0], curve.target_sizes[-1]
    sets = f"{low} to {high} in the target sets"
    return "\n".join([*lines, "", *account_lines(curve.account, curve.settings, sets)])


def _question(
    account: Account, settings: Settings | BaselineSettings, target_quantile: float | None
) -> list[str]:
    """Return the headline."""
    return wrapped(headline(account, settings, target_quantile))


def headline(
    account: Account, settings: Settings | BaselineSettings, target_quantile: float | None
) -> str:
    """Return the question that a result answers."""
    if isinstance(settings, BaselineSettings) and settings.forest:
        (goal,) = account.objectives
        return f"What {shortened(goal.name)} depends on in {account.trials.used} trials, by " + (
            settings.label
        )
    if account.outcome is not None:
        led = {"failed": "failing", "pruned": "being pruned", "infeasible": "being infeasible",
               "nonfinite": "an objective that is not finite"}  # fmt: skip
        what = led.get(account.outcome, "the target set")
        return f"What led to {what} in {account.trials.used} trials"
    best = "best share γ'" if target_quantile is None else f"best {_percent(target_quantile)}"
    inside = ""
    if (settings.region_quantile or 1) < 1:
        inside = f" inside the best {_percent(settings.region_quantile or 1)}"
    by = goals(account)
    says = f", by {settings.label}" if isinstance(settings, BaselineSettings) else ""
    used = account.trials.used
    return f"What mattered for reaching the {best}{inside} of {used} trials ({by}){says}"


def goals(account: Account) -> str:
    """Return what counts as good."""
    ends = {"minimize": "lowest", "maximize": "highest"}
    each = [f"{ends[goal.direction]} {shortened(goal.name)}" for goal in account.objectives]
    return each[0] if len(each) == 1 else f"by Pareto rank of {', '.join(each)}"


def account_lines(account: Account, settings: Settings | BaselineSettings, sets: str) -> list[str]:
    """Say in sentences what was used and what was left out."""
    lines = trial_lines(account, _sets(account, settings, sets)) + data_lines(account)
    notes = [printable(note) for note in account.notes]
    if isinstance(settings, BaselineSettings):
        return [part for line in (*lines, *notes, settings.explains) for part in wrapped(line)]
    if settings.method != "paper":
        lines.append(f"Method: {settings.method}.")
    if settings.measure != "within":
        lines.append(f"Measure: {settings.measure}.")
    if settings.reference != "region":
        lines.append("Compared with a uniform distribution over the space, not the region set.")
    return [part for line in (*lines, *notes) for part in wrapped(line)]


def trial_lines(account: Account, sets: str = "") -> list[str]:
    """Say how many trials were used, and what became of the others."""
    trials, handling = account.trials, account.handling
    lines = [f"{trials.used} of {trials.total} trials used{sets}."]
    treatments = {"drop": "left out", "worst": "counted as worst", "keep": "counted like others"}
    aside = (
        (trials.running, "still running", "drop"),
        (trials.failed, "failed", handling.failed),
        (trials.pruned, "pruned", handling.pruned),
        (trials.nonfinite, "without a finite objective", handling.nonfinite),
        (trials.infeasible, "infeasible", handling.infeasible),
    )
    named = [f"{count} {what} ({treatments[how]})" for count, what, how in aside if count]
    if named:
        lines.append(f"Of all trials: {', '.join(named)}.")
    return lines


def data_lines(account: Account) -> list[str]:
    """Say what was done to regimes, domains and columns."""
    lines = []
    for dropped in account.dropped_regimes:
        lines.append(
            f"{shortened(dropped.parameter)}: {dropped.regimes} "
            f"{'regime' if dropped.regimes == 1 else 'regimes'} with a single trial each left out."
        )
    for entry in account.pooled:
        lines.append(
            f"{shortened(entry.parameter)}: {entry.domains} domains that vary with other "
            f"parameters were pooled into {entry.regimes} "
            f"{'regime' if entry.regimes == 1 else 'regimes'}."
        )
    if account.ignored_columns:
        shown = ", ".join(shortened(name) for name in account.ignored_columns[:5])
        more = len(account.ignored_columns) - 5
        lines.append(f"Columns not used: {shown}{f' and {more} more' if more > 0 else ''}.")
    if account.space_inferred:
        lines.append("The domains were inferred from the values; give a space to set them.")
    return lines


def _sets(account: Account, settings: Settings | BaselineSettings, sets: str) -> str:
    """Return how large the sets were that were compared, if there are any."""
    if isinstance(settings, BaselineSettings) and settings.forest:
        return ""
    # With filtering each parameter has sets of its own.
    own = isinstance(settings, BaselineSettings) and settings.absent == "filtering"
    return f"; {'at most ' if own else ''}{account.region_size} in the region set, {sets}"


def shortened(text: str, most: int = _MOST_NAME) -> str:
    """Return a text that fits a column, stays on its line and cannot control a terminal.

    Long texts lose their middle: names that share a beginning often differ in the end.
    """
    plain = printable(text) or repr(text)
    if len(plain) <= most:
        return plain
    end = (most - 1) // 2
    return f"{plain[: most - 1 - end]}…{plain[-end:]}"


def printable(text: str) -> str:
    r"""Return a text on one line that cannot control a terminal.

    Letters that cannot be seen, or turn others around, are written as their codes.

    Examples
    --------
    >>> print(printable("rate\u202e\u200b"))
    rate\u202e\u200b
    """
    flat = " ".join(text.split())
    return "".join(c if c.isprintable() else _code(c) for c in flat)


def _code(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")


def table_lines(header: Sequence[str], rows: Sequence[Sequence[str]], right: set[int]) -> list[str]:
    """Lay out columns two spaces apart; those in ``right`` are right-aligned."""
    cells = [header, *rows]
    widths = [max(width_of(row[i]) for row in cells) for i in range(len(header))]
    lines = []
    for row in cells:
        padded = []
        for i, (entry, width) in enumerate(zip(row, widths, strict=True)):
            space = " " * (width - width_of(entry))
            padded.append(space + entry if i in right else entry + space)
        lines.append("  ".join(padded).rstrip())
    return lines


def width_of(text: str) -> int:
    """Return how many columns of a terminal a text takes; East Asian letters take two."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def _percent(quantile: float) -> str:
    return f"{100 * quantile:.3g} %"


def _regimes(parameter: ParameterImportance, pooled: bool) -> str:
    if not parameter.regimes:
        return "–"
    mark = "pooled " if pooled else ""
    labels = [
        f"{mark if regime.domain else ''}{regime.label} ({_percent(regime.region_share)})"
        for regime in parameter.regimes
    ]
    if len(labels) == 1:
        return shortened(parameter.regimes[0].label, _MOST_REGIMES)
    count = f"{len(labels)} regimes: " if len(labels) > 3 else ""
    return _cut(count + "; ".join(labels), _MOST_REGIMES)


def _cut(text: str, most: int) -> str:
    plain = shortened(text, len(text) + 9)
    return plain if len(plain) <= most else plain[: most - 1] + "…"
