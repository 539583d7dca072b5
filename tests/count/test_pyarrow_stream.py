"""Files that are streamed give the very counts that the same files give in memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import condped
from condped.count import pyarrow_tables
from condped.count.asked import Asked
from condped.count.chunked import ChunkedPasses
from condped.count.keys import KeyBins, keys_of
from condped.count.passes import Series, Wanted, Within
from condped.count.pyarrow_stream import open_passes
from condped.topsets import Handling
from tests.count.stream_trials import SPACE, trials
from tests.count.table_chunks import reference

LOSS = Series("loss")


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pyarrow_tables, "BATCH", 97)


def asked(**given: Any) -> Asked:
    return Asked(**{"objective": "loss", "space": SPACE, **given})


def same(stream: ChunkedPasses, memory: ChunkedPasses, handling: Handling | None = None) -> None:
    """Compare all that two engines say of the same trials."""
    within = Within(handling or Handling())
    one, two = stream.tally(within.handling), memory.tally(within.handling)
    assert one.counts == two.counts
    assert (one.lowest, one.highest) == (two.lowest, two.highest)
    assert one.sorted_by_loss == two.sorted_by_loss
    low, high = keys_of(np.array([one.lowest, one.highest])).tolist()
    shift = max(0, (high - low).bit_length() - 10)
    bins = KeyBins(low, shift, ((high - low) >> shift) + 1)
    for ours, theirs in zip(
        stream.histogram({LOSS: [bins]}, within)[LOSS],
        memory.histogram({LOSS: [bins]}, within)[LOSS],
        strict=True,
    ):
        np.testing.assert_array_equal(ours, theirs)
    marked = np.arange(bins.bins) % 3 == 0
    mine, other = (p.levels({LOSS: [(bins, marked)]}, within)[LOSS] for p in (stream, memory))
    np.testing.assert_array_equal(mine.values, other.values)
    np.testing.assert_array_equal(mine.counts, other.counts)
    wanted = Wanted(within, mine.values[:: max(1, len(mine.values) // 7)])
    first, second = stream.count(wanted), memory.count(wanted)
    np.testing.assert_array_equal(first.sizes, second.sizes)
    for ours, theirs in zip(first.parameters, second.parameters, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def as_parquet(folder: Path, table: Any) -> str:
    pq.write_table(table, folder / "t.parquet", row_group_size=150)
    return str(folder / "t.parquet")


def as_one_row_group(folder: Path, table: Any) -> str:
    pq.write_table(table, folder / "t.pq", use_dictionary=False)
    return str(folder / "t.pq")


def as_dictionaries(folder: Path, table: Any) -> str:
    place = table.column_names.index("learner")
    encoded = table.column("learner").dictionary_encode()
    pq.write_table(table.set_column(place, "learner", encoded), folder / "t.parquet")
    return str(folder / "t.parquet")


def as_arrow(folder: Path, table: Any) -> str:
    with pa.ipc.new_file(str(folder / "t.arrow"), table.schema) as file:
        for batch in table.to_batches(max_chunksize=200):
            file.write_batch(batch)
    return str(folder / "t.arrow")


def as_arrow_stream(folder: Path, table: Any) -> str:
    with pa.ipc.new_stream(str(folder / "t.arrow"), table.schema) as file:
        file.write_table(table, max_chunksize=200)
    return str(folder / "t.arrow")


def as_feather(folder: Path, table: Any) -> str:
    pyarrow.feather.write_feather(table, str(folder / "t.feather"), compression="zstd")
    return str(folder / "t.feather")


def as_pattern(folder: Path, table: Any) -> str:
    for number in range(3):
        pq.write_table(table.slice(200 * number, 200), folder / f"t{number}.parquet")
    pq.write_table(table.slice(600), folder / "t9.parquet", row_group_size=50)
    return str(folder / "*.parquet")


def as_partitions(folder: Path, table: Any) -> str:
    for depth in range(1, 21):
        below = folder / "runs" / f"depth={depth}"
        below.mkdir(parents=True)
        here = pa.compute.equal(table.column("depth"), depth)
        pq.write_table(table.filter(here).drop_columns("depth"), below / "part.parquet")
    return str(folder / "runs")


FORMATS = [
    as_parquet, as_one_row_group, as_dictionaries, as_arrow, as_arrow_stream, as_feather,
    as_pattern, as_partitions,
]  # fmt: skip


@pytest.mark.parametrize("write", FORMATS, ids=lambda write: write.__name__)
def test_files_are_counted_as_in_memory(write: Callable[[Path, Any], str], tmp_path: Path) -> None:
    """Whatever the kind of file, all counts are those of the table in memory."""
    source = write(tmp_path, trials(1000))
    same(
        open_passes(source, asked()),
        reference(condped.read(source, objective="loss", space=SPACE)),
    )
