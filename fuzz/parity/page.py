"""The campaign's table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fuzz.page import between_marks

BEGIN, END = "<!-- parity -->\n", "<!-- end -->\n"


def table(state: dict[str, Any]) -> str:
    """Return the kinds of outcomes and how often each was seen, the most frequent first."""
    lines = ["| outcome | evaluations |", "| --- | --- |"]
    lines += [f"| {kind} | {count:,} |" for kind, count in state["kinds"].items()]
    lines.append(f"| **all, of {state['studies']:,} studies** | **{state['evaluations']:,}** |")
    return "\n".join(lines)


def with_table(page: str, state: dict[str, Any]) -> str:
    """Return a page with the campaign's table in its place."""
    return between_marks(page, BEGIN, END, f"{table(state)}\n")


def written(path: Path, text: str) -> None:
    """Replace a file as a whole: a campaign that is stopped leaves the old one."""
    beside = path.with_name(f".{path.name}.part")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)
