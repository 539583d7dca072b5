"""How well low budgets rank configurations, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from condped.safe_text import percent, printable, shortened
from condped.show.text.layout import table_lines, wrapped, wrapped_each

if TYPE_CHECKING:
    from condped.analyse.budgets import BudgetAgreement, Budgets


def budgets_text(found: Budgets) -> str:
    """Return the answer in a sentence, a line per budget, and what limits it."""
    rows = budget_rows(found)
    lines = [*wrapped(budgets_answer(found)), ""]
    lines += [*table_lines(rows, right=set(range(len(rows[0])))), ""]
    return "\n".join([*lines, *wrapped_each(budget_remarks(found))])


def budget_rows(found: Budgets) -> list[tuple[str, ...]]:
    """Return a row per budget under a header."""
    best = percent(found.target_quantile)
    header = (
        "budget", "configurations", "τ", "interval", f"best {best} found", "chance", "regret",
    )  # fmt: skip
    rows = [
        (f"{entry.budget:g}", str(entry.configurations), *_numbers(entry))
        for entry in found.agreements
    ]
    return [header, *rows]


def budget_remarks(found: Budgets) -> list[str]:
    """Return what the numbers mean and what limits them."""
    best, name = percent(found.target_quantile), shortened(found.objective.name)
    remarks = [
        f"Compared with budget {found.highest:g}, which {found.reached} configurations reached. τ: "
        f"Kendall's rank correlation, with a {percent(found.level)} interval. Found: share of the "
        f"best {best} there that are among the best {best} at the lower budget. Regret: how much "
        f"worse in {name} the configuration that is best at the lower budget ends."
    ]
    selected = [entry for entry in found.agreements if entry.selected]
    if selected:
        first = selected[0]
        remarks.append(
            f"Only {first.configurations} of {first.measured} configurations that were tried at "
            f"budget {first.budget:g} reached {found.highest:g}. If the others were stopped for "
            "their results, those that are left differ less, and the agreement among all may be "
            "higher than τ; how good the stopped ones would have become is not known."
        )
    return [*remarks, *map(printable, found.notes)]


def budgets_answer(found: Budgets) -> str:
    """Return in one sentence whether low budgets rank as the highest does."""
    entry = found.lowest_that_agrees
    if entry is not None:
        return (
            f"From budget {entry.budget:g} on, configurations rank as at {found.highest:g}: "
            f"{_agreement(entry, found)}"
        )
    closest = max(found.agreements, key=lambda one: one.tau_low)
    what = "agrees in part with" if closest.tau_low > 0 else "shows no evidence of agreement with"
    return (
        f"No lower budget ranks configurations much like {found.highest:g}. The ranking at "
        f"budget {closest.budget:g} {what} it: {_agreement(closest, found)}"
    )


def _agreement(entry: BudgetAgreement, found: Budgets) -> str:
    if not entry.top:
        return f"only {entry.configurations} configurations have both."
    best = percent(found.target_quantile)
    return (
        f"τ {entry.tau:.2f} [{entry.tau_low:.2f}, {entry.tau_high:.2f}]; {_whole(entry.found)} of "
        f"the best {best} are already among its best {best} (chance: {_whole(entry.chance)})."
    )


def _numbers(entry: BudgetAgreement) -> tuple[str, ...]:
    if not entry.top:
        return ("–",) * 5
    return (
        f"{entry.tau:.2f}", f"[{entry.tau_low:.2f}, {entry.tau_high:.2f}]", _whole(entry.found),
        _whole(entry.chance), f"{entry.regret:.4g}",
    )  # fmt: skip


def _whole(share: float) -> str:
    return percent(round(share, 2))
