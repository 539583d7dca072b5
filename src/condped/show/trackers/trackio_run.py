"""Results in a run of Trackio."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import trackio

from condped.show.documents.markdown import escaped

if TYPE_CHECKING:
    from condped.show.trackers.entry import Entry


def log_entry(entry: Entry, run: Any) -> None:
    """Log numbers, words, table and page at the next step."""
    logged: dict[str, Any] = {f"condped/{name}": value for name, value in entry.numbers.items()}
    logged |= {f"condped/{name}": word for name, word in entry.words.items()}
    # Texts in cells are rendered as Markdown.
    rows = [
        [escaped(cell) if isinstance(cell, str) else cell for cell in row] for row in entry.rows
    ]
    logged[f"condped/{entry.kind}_table"] = trackio.Table(columns=list(entry.columns), data=rows)
    logged[f"condped/{entry.kind}.md"] = trackio.Markdown(entry.markdown)
    if entry.page is not None:
        logged["condped/report"] = trackio.Html(entry.page, inject=False)
    run.log(logged)
