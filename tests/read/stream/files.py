"""Trials with conditions, in files of all kinds, and what two sources must agree on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq

from condped import Space
from condped.count.counter import CountedTrials, Counter, Query
from condped.count.order_statistics.keys import KeyBins, keys_of
from condped.count.order_statistics.series import Region, Series
from condped.count.ranking import ByLoss
from condped.count.tally import Tally
from condped.count.trials import Trials
from condped.read.options import ReadOptions
from condped.read.stream.open_files import open_stream
from condped.trials.used_trials import Handling

LOSS = Series("loss")

SPACE = Space(
    {
        "c": {"type": "float", "low": 0, "high": 1},
        "learner": {"type": "categorical", "choices": ["svm", "knn", 'm"l,p é']},
        "lr": {"type": "float", "low": 1e-5, "high": 1, "log": True},
        "depth": {"type": "int", "low": 1, "high": 20},
        "x": [
            {"type": "float", "low": -5, "high": 0, "when": "c < 0.5"},
            {"type": "float", "low": 0, "high": 5, "when": "c >= 0.5"},
        ],
        "neighbours": {"type": "int", "low": 1, "high": 50, "when": "learner == 'knn'"},
        "flag": {"type": "categorical", "choices": [True, False], "when": "learner != 'svm'"},
    }
)


def trials(rows: int, seed: int = 0) -> Any:
    """Return an Arrow table of trials in which all kinds of types are found."""
    rng = np.random.default_rng(seed)
    c = rng.random(rows, dtype=np.float32)
    learner = rng.integers(0, 3, rows)
    choices = pa.array(["svm", "knn", 'm"l,p é'])
    x = np.where(c < 0.5, -5 * rng.random(rows), 5 * rng.random(rows))
    loss = np.round((x - 1) ** 2 + learner + rng.normal(size=rows), 2)  # with ties
    loss[rng.random(rows) < 0.02] = np.nan
    return pa.table(
        {
            "loss": loss,
            "c": c,
            "learner": choices.take(pa.array(learner)),
            "lr": np.clip(10 ** rng.uniform(-5, 0, rows), 1e-5, 1),
            "depth": rng.integers(1, 21, rows).astype(np.int16),
            "x": x,
            "neighbours": pa.array(rng.integers(1, 51, rows), mask=learner != 1),
            "flag": pa.array(rng.random(rows) < 0.4, mask=learner == 0),
            "state": np.where(rng.random(rows) < 0.1, "failed", "complete"),
            "surplus": rng.random(rows) - 0.8,
            "remark": ["nothing"] * rows,
        }
    )


def opened(source: Any, **given: Any) -> Counter:
    """Return what counts a source batch by batch."""
    options = ReadOptions.of({"objective": "loss", "space": SPACE, **given})
    return Trials.of(open_stream(source, options)).counter


def tally(counter: Counter) -> Tally:
    """Return what became of the trials."""
    return counter.tally(ByLoss(Handling()))


def count_all(counter: Counter) -> CountedTrials:
    """Count all parameters in two buckets."""
    return counter.count(Query(ByLoss(Handling()), np.array([1.0]), counter.schema.names))


def same(stream: Counter, memory: Counter, handling: Handling | None = None) -> None:
    """Compare all that two sources say of the same trials."""
    within = Region(ByLoss(handling or Handling()))
    one, two = stream.tally(within.ranking), memory.tally(within.ranking)
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
    assert stream.schema.names == memory.schema.names
    cutoffs = mine.values[:: max(1, len(mine.values) // 7)]
    query = Query(within.ranking, cutoffs, memory.schema.names)
    first, second = stream.count(query), memory.count(query)
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


def as_csv(folder: Path, table: Any) -> str:
    pa.csv.write_csv(table, folder / "t.csv")  # with quotes around all texts
    return str(folder / "t.csv")


def as_plain_csv(folder: Path, table: Any) -> str:
    lines = [table.column_names, *([*row.values()] for row in table.to_pylist())]
    cells = [["" if cell is None else str(cell) for cell in line] for line in lines]
    text = "\n".join(";".join(line) for line in cells)
    (folder / "t.csv").write_text(text.replace('"', "'"), encoding="utf-8")
    return str(folder / "t.csv")


def as_gzip_csv(folder: Path, table: Any) -> str:
    with pa.CompressedOutputStream(str(folder / "t.tsv.gz"), "gzip") as file:
        pa.csv.write_csv(table, file, pa.csv.WriteOptions(delimiter="\t"))
    return str(folder / "t.tsv.gz")


def as_csv_folder(folder: Path, table: Any) -> str:
    for number, word in enumerate(["complete", "failed"]):
        below = folder / "runs" / f"state={word}"
        below.mkdir(parents=True)
        some = table.filter(pa.compute.equal(table.column("state"), word)).drop_columns("state")
        pa.csv.write_csv(some, below / f"{number}.csv", pa.csv.WriteOptions(quoting_style="needed"))
    return str(folder / "runs")
