"""A result as plain text: the table that ``print(result)`` shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from condped.importance.result import Account, ImportanceResult, ParameterImportance

_MOST_ROWS = 30
_MOST_NAME = 32
_MOST_REGIMES = 72
_BAR = 20


def summary(result: ImportanceResult) -> str:
    """Return the parameters with a bar each, then what the numbers are based on."""
    question = f"What mattered for reaching the best {_percent(result.target_quantile)}"
    if result.settings.region_quantile < 1:
        question += f" inside the best {_percent(result.settings.region_quantile)}"
    lines = [f"{question} of {result.account.trials.used} trials", ""]
    if result.status != "ok":
        lines += [f"Undetermined: {result.reason}", ""]
    rows = [
        (
            shortened(parameter.name),
            f"{parameter.importance:.3f}",
            "█" * round(parameter.importance * _BAR),
            f"{parameter.eta_squared:.3f}",
            _regimes(parameter),
        )
        for parameter in result.parameters[:_MOST_ROWS]
    ]
    lines += table(("parameter", "importance", "", "η²", "active as"), rows, right={1, 3})
    hidden = result.parameters[_MOST_ROWS:]
    if hidden:
        rest = sum(parameter.importance for parameter in hidden)
        lines.append(f"… and {len(hidden)} more with {rest:.3f} together")
    return "\n".join([*lines, "", *account_lines(result.account)])


def account_lines(account: Account) -> list[str]:
    """Say in sentences what was used and what was left out."""
    trials = account.trials
    lines = [
        f"{trials.used} of {trials.total} trials used; "
        f"{account.region_size} in the region set, {account.target_size} in the target set."
    ]
    out = [
        (trials.failed, "failed"),
        (trials.pruned, "pruned"),
        (trials.running, "still running"),
        (trials.nonfinite, "without a finite objective"),
        (trials.infeasible, "infeasible"),
    ]
    named = ", ".join(f"{count} {what}" for count, what in out if count)
    if trials.left_out or trials.counted_as_worst:
        worst = trials.counted_as_worst
        treatment = [f"{trials.left_out} left out"] if trials.left_out else []
        treatment += [f"{worst} counted as worst"] if worst else []
        lines.append(f"Of all trials: {named} ({', '.join(treatment)}).")
    elif named:
        lines.append(f"Counted like the others: {named}.")
    for dropped in account.dropped_regimes:
        lines.append(
            f"{shortened(dropped.parameter)}: {dropped.regimes} "
            f"{'regime' if dropped.regimes == 1 else 'regimes'} with a single trial each left out."
        )
    if account.ignored_columns:
        shown = ", ".join(shortened(name) for name in account.ignored_columns[:5])
        more = len(account.ignored_columns) - 5
        lines.append(f"Columns not used: {shown}{f' and {more} more' if more > 0 else ''}.")
    if account.space_inferred:
        lines.append("The domains were inferred from the values; give a space to set them.")
    return [*lines, *account.notes]


def table(header: Sequence[str], rows: Sequence[Sequence[str]], right: set[int]) -> list[str]:
    """Lay out columns two spaces apart; those in ``right`` are right-aligned."""
    cells = [header, *rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    lines = []
    for row in cells:
        padded = [
            entry.rjust(width) if i in right else entry.ljust(width)
            for i, (entry, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(padded).rstrip())
    return lines


def shortened(text: str, most: int = _MOST_NAME) -> str:
    """Return a text that fits a column, stays on its line and cannot control a terminal."""
    flat = " ".join(text.split()) or repr(text)
    plain = "".join(
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in flat
    )
    return plain if len(plain) <= most else plain[: most - 1] + "…"


def _percent(quantile: float) -> str:
    return f"{100 * quantile:.3g} %"


def _regimes(parameter: ParameterImportance) -> str:
    labels = [f"{regime.label} ({_percent(regime.region_share)})" for regime in parameter.regimes]
    if len(labels) == 1:
        return shortened(parameter.regimes[0].label, _MOST_REGIMES)
    count = f"{len(labels)} regimes: " if len(labels) > 3 else ""
    return shortened(count + "; ".join(labels), _MOST_REGIMES)
