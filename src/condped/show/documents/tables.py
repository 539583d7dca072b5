"""Results that are one table, as documents: forecasts, pairs, comparisons, budgets, sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from condped.show.documents.parts import Document, Part, Table, table_of
from condped.show.text.account import pairs_headline
from condped.show.text.budgets import budget_remarks, budget_rows, budgets_answer
from condped.show.text.comparison import (
    TITLES,
    comparison_headline,
    comparison_remarks,
    comparison_rows,
    rows_left_out,
)
from condped.show.text.forecast import forecast_meaning, forecast_rows
from condped.show.text.tables import (
    joint_left_out,
    joint_remarks,
    joint_rows,
    robustness_remarks,
    robustness_rows,
    source_rows,
)
from condped.show.words import tie_lines

if TYPE_CHECKING:
    from condped.analyse.budgets import Budgets
    from condped.analyse.forecast.result import Forecast
    from condped.analyse.joint_effects import JointEffects
    from condped.analyse.robustness import Robustness
    from condped.analyse.sources import Sources
    from condped.comparison.compare import Comparison


def forecast_document(found: Forecast) -> Document:
    """Return the answer, a row per parameter, and what the numbers mean."""
    parts: list[Part] = []
    if found.looks:
        parts = [table_of(forecast_rows(found), (2, 4)), forecast_meaning(found)]
    return Document("Enough trials?", parts, answer=found.message)


def joint_document(found: JointEffects) -> Document:
    """Return the pairs, the strongest first, then what the numbers are based on."""
    return Document(
        pairs_headline(found.account, found.target_quantile),
        [
            table_of(joint_rows(found), (1, 2, 3)),
            [*joint_left_out(found), *joint_remarks(found)],
        ],
        tie_lines(found.account.tie(found.target_quantile)),
    )


def robustness_document(found: Robustness) -> Document:
    """Return the importances under each choice, and whether they agree."""
    header, *rows = robustness_rows(found)
    places = range(1, len(header))
    heads = frozenset(places[:-1])
    table = Table(("choice", *header[1:]), rows, frozenset(places), frozenset(), heads)
    verdict, *rest = robustness_remarks(found)
    return Document("Robustness of the ranking", [table, rest], tie_lines(found.tie), verdict)


def comparison_document(comparison: Comparison) -> Document:
    """Return a column for each method, and what the columns mean."""
    header = ["parameter", *(" ".join(TITLES[method]) for method in comparison)]
    table = Table(header, comparison_rows(comparison), frozenset(range(1, len(header))))
    below = [*rows_left_out(comparison), *comparison_remarks(comparison)]
    return Document(comparison_headline(comparison), [table, below], tie_lines(comparison.tie))


def budgets_document(found: Budgets) -> Document:
    """Return the answer, a row per budget, and what limits it."""
    header, *rows = budget_rows(found)
    table = Table(header, rows, frozenset(range(len(header))), frozenset())
    return Document(
        "Do low budgets rank like high ones?",
        [table, budget_remarks(found)],
        answer=budgets_answer(found),
    )


def sources_document(sources: Sources) -> Document:
    """Return a row per kind of source."""
    return Document("What can be read", [Table(("reader", "reads"), source_rows(sources))])
