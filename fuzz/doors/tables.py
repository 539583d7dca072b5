"""Small tables with hostile names and values, and the same table in every form."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

import condped
from condped.errors import CondpedError
from fuzz import mutate
from fuzz.door import DiffersError

Columns: TypeAlias = dict[str, list[Any]]


def table(rng: Random) -> Columns:
    """Return a table with a loss, a few parameters and perhaps a state."""
    rows = rng.randrange(1, 14)
    columns: Columns = {"loss": [_loss(rng) for _ in range(rows)]}
    for place in range(rng.randrange(1, 4)):
        name = rng.choice(mutate.TEXTS) if rng.random() < 0.2 else f"p{place}"
        kind = rng.randrange(6)
        draw: Callable[[], Any] = {
            0: rng.random,
            1: lambda: rng.randrange(1, 9),
            2: lambda: rng.choice(("a", "b", "c")),
            3: lambda: rng.choice((True, False)),
            4: lambda: rng.choice(mutate.TEXTS),
            5: lambda: rng.choice(mutate.NUMBERS),
        }[kind]
        columns[name] = [None if rng.random() < 0.2 else draw() for _ in range(rows)]
    if rng.random() < 0.3:
        columns["end"] = [
            rng.choice(("COMPLETE", "FAIL", "PRUNED", "RUNNING")) for _ in range(rows)
        ]
    return columns


def _loss(rng: Random) -> float:
    return rng.random() if rng.random() < 0.8 else float(rng.choice((0, 1, -1, math.inf, 1e308)))


def csv_of(columns: Columns, delimiter: str = ",") -> bytes:
    """Return a table as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter)
    writer.writerow(columns)
    writer.writerows(["" if v is None else v for v in row] for row in rows_of(columns))
    return text.getvalue().encode("utf-8", "surrogatepass")


def json_lines_of(columns: Columns) -> bytes:
    """Return a table as JSON lines."""
    return b"".join(mutate.written(row).encode() + b"\n" for row in records_of(columns))


def rows_of(columns: Columns) -> list[tuple[Any, ...]]:
    """Return a table's rows."""
    return list(zip(*columns.values(), strict=True))


def records_of(columns: Columns) -> list[dict[str, Any]]:
    """Return a table's rows with their names, absent values left out."""
    return [
        {n: v for n, v in zip(columns, row, strict=True) if v is not None}
        for row in rows_of(columns)
    ]


def packed(rng: Random, data: bytes) -> tuple[str, bytes]:
    """Return data compressed, and the ending of such files."""
    if rng.random() < 0.6:
        return ".gz", gzip.compress(data, 1, mtime=0)
    from backports import zstd  # noqa: PLC0415  (imported by workers only)

    return ".zst", zstd.compress(data)


def emptied(folder: Path) -> None:
    """Make a folder that has nothing in it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()


def read(source: Any, **options: Any) -> Any:
    """Read a source, and present the importances of every third one that was read."""
    found = condped.read(source, **options)
    if len(found) % 3 == 1:
        result = condped.importance(found)
        str(result)
        json.dumps(result.to_data(), default=str)
    return found


def facts(found: Any) -> dict[str, Any]:
    """Return everything in a table of trials, in a form that can be compared."""
    return {
        "losses": [[repr(float(v)) for v in one.losses] for one in found.objectives],
        "states": [int(state) for state in found.states],
        "values": {one.name: _values_of(one) for one in found.parameters},
    }


def _values_of(parameter: Any) -> list[str]:
    found = []
    for value, domain_id in zip(parameter.values, parameter.domain_ids, strict=True):
        if domain_id < 0:
            found.append("absent")
            continue
        choices = getattr(parameter.domains[domain_id], "choices", None)
        found.append(repr(value.item()) if choices is None else repr(choices[int(value)]))
    return found


def agree(
    answer: Any,
    other: Callable[[], Any],
    what: str,
    facts: Callable[[Any], Any] = facts,
    *,
    may_refuse: bool = False,
) -> None:
    """Raise DiffersError unless another way to the same answer gives it, too.

    ``may_refuse``: the other way reads more, and may find damage there.
    """
    try:
        expected = other()
    except CondpedError as error:
        if may_refuse:
            return
        raise DiffersError(f"{what}: answered here, refused there | {error}") from error
    one, two = facts(answer), facts(expected)
    if one != two:
        raise DiffersError(f"{what} | {one} here, {two} there")


def agree_engines(answer: Any, source: str, *, may_refuse: bool = False, **reading: Any) -> None:
    """Raise DiffersError unless batches give the same as the whole table."""

    def whole() -> Any:
        return condped.importance(source, engine="memory", **reading)

    def numbers(result: Any) -> Any:
        return str(result.status), result.to_dict()

    agree(answer, whole, "batches and the whole", numbers, may_refuse=may_refuse)
