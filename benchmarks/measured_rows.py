"""Rows of long benchmarks, written as soon as they are measured, so that a run can be continued."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

Row: TypeAlias = dict[str, Any]
Key = TypeVar("Key", bound=Hashable)


def add_row_options(parser: argparse.ArgumentParser, what: str) -> None:
    """Add where the rows are written, and whether those that are there count."""
    parser.add_argument("--rows", type=Path, help=f"{what}; beside the output")
    parser.add_argument("--resume", action="store_true", help="keep the rows that are there")


def measure_rows(
    arguments: argparse.Namespace,
    key_of: Callable[[Row], Key],
    jobs: Iterable[tuple[Key, Callable[[], Iterable[Row]]]],
    *,
    keep: bool = False,
) -> list[Row]:
    """Run the jobs whose key no kept row has; return all rows.

    Earlier rows are kept with ``--resume`` or ``keep``.
    """
    path: Path = arguments.rows or arguments.output.with_suffix(".jsonl")
    rows: list[Row] = []
    if (arguments.resume or keep) and path.exists():
        with path.open(encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
    known = {key_of(row) for row in rows}
    with path.open("a" if rows else "w", encoding="utf-8") as file:
        for key, run in jobs:
            if key not in known:
                found = list(run())
                file.writelines(f"{json.dumps(row)}\n" for row in found)
                file.flush()
                rows += found
    return rows
