"""Results in a run of Weights & Biases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import wandb

if TYPE_CHECKING:
    from condped.show.trackers.entry import Entry


def log_entry(entry: Entry, run: Any) -> None:
    """Log numbers, table and page at the next step, and words in the summary."""
    logged: dict[str, Any] = {f"condped/{name}": value for name, value in entry.numbers.items()}
    logged[f"condped/{entry.kind}_table"] = wandb.Table(
        columns=list(entry.columns), data=[list(row) for row in entry.rows], allow_mixed_types=True
    )
    if entry.page is not None:
        logged["condped/report"] = wandb.Html(entry.page, inject=False, data_is_not_path=True)
    run.log(logged)
    words = {f"condped/{name}": word for name, word in entry.words.items()}
    run.summary.update(words | {f"condped/{entry.kind}.md": entry.markdown})
