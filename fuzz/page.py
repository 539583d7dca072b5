"""The counts as a table, on a terminal and in docs/trust/robustness.md."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

BEGIN, END = "<!-- counts -->\n", "<!-- end of counts -->"
_COLUMNS = ("inputs", "typed", "unplaced", "answer", "untyped", "death", "hang", "differs")


def table_of(found: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the table for a terminal."""
    rows = [["door", *_COLUMNS, "longest"]]
    for name, counts in found.items():
        rows.append([name, *(str(counts[c]) for c in _COLUMNS), f"{counts['longest']:.2f} s"])
    rows.append(["all", *(str(sum(d[c] for d in found.values())) for c in _COLUMNS), ""])
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(w) if p == 0 else cell.rjust(w)
                  for p, (cell, w) in enumerate(zip(row, widths, strict=True)))
        for row in rows
    )  # fmt: skip


def page_of(found: Mapping[str, Mapping[str, Any]], seed: str, page: Path) -> None:
    """Fill the part of a page between its two marks."""
    filled = between_marks(page.read_text(encoding="utf-8"), BEGIN, END, markdown_of(found, seed))
    page.write_text(filled, encoding="utf-8")


def between_marks(page: str, begin: str, end: str, text: str) -> str:
    """Return a page with another text between two marks."""
    before, _, rest = page.partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}{text}{end}{after}"


def markdown_of(found: Mapping[str, Mapping[str, Any]], seed: str) -> str:
    """Return what stands between the marks of the page."""
    lines = [
        "| entry point | inputs | typed errors | answers | untyped errors | crashes | hangs "
        "| differs |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    sums = {c: sum(door[c] for door in found.values()) for c in _COLUMNS}
    for title, counts in [*((door["title"], door) for door in found.values()), ("**all**", sums)]:
        numbers = (
            counts["inputs"], counts["typed"] + counts["unplaced"], counts["answer"],
            counts["untyped"], counts["death"], counts["hang"], counts["differs"],
        )  # fmt: skip
        lines.append(f"| {title} | {' | '.join(f'{number:,}' for number in numbers)} |")
    longest = max(found.values(), key=lambda door: float(door["longest"]))
    lines += [
        "",
        f"{sums['unplaced']:,} of the typed errors only "
        f"{'says' if sums['unplaced'] == 1 else 'say'} that the source may be damaged and "
        "ask for a report if it is not. The longest input took "
        f"{longest['longest']:.1f} seconds of CPU time ({longest['title']}). Seed {seed}.",
        "",
    ]  # fmt: skip
    return "\n".join(lines)
