"""Files through Ibis: the ones that memory would read, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from condped.count.ibis_engine import open_passes
from condped.count.passes import Wanted, Within
from condped.read.asked import Asked

import condped
from condped.errors import DataError, SourceError
from condped.space.space import Space
from condped.trials.topsets import Handling

FLOAT = {"type": "float", "low": 0, "high": 1}
SPACE = {"x": FLOAT}


def write(path: Path, **columns: Any) -> Path:
    """Write a file of trials, and the directory that it is in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"x": [0.1, 0.2, 0.9], "loss": [1.0, 2.0, 3.0], **columns}), path)
    return path


def counted(source: Path | str, space: Any = SPACE, **asked: Any) -> tuple[int, tuple[str, ...]]:
    """Return how many trials there are and what is said of them, as memory does, too."""
    given = None if space is None else Space(space)
    passes = open_passes(str(source), Asked("loss", space=given, **asked))
    tally = passes.tally(Handling())
    found = passes.count(Wanted(Within(Handling()), np.zeros(0)))
    passes.close()
    table = condped.read(str(source), objective="loss", space=given, **asked)
    assert tally.counts.total == len(table.states)
    for parameter, cells in zip(table.parameters, found.parameters, strict=True):
        absent = int(np.count_nonzero(parameter.domain_ids < 0))
        assert cells.sum(axis=(0, 1, 3))[-1] == absent
    notes = (*tally.notes, *found.notes)
    assert len(set(notes)) == len(notes)
    assert {note for note in table.notes if "first:" not in note} <= set(notes)
    return tally.counts.total, notes


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.csv.gz", "a.txt", "*.csv", "."])
@pytest.mark.parametrize("backend", [None, "duckdb://"])
def test_text_files_are_refused(tmp_path: Path, name: str, backend: str | None) -> None:
    """Their cells are texts until a space says what they are."""
    (tmp_path / (name if name[0] == "a" else "b.csv")).write_text("x,loss\n0.5,1\n")
    with pytest.raises(SourceError, match=r"texts until the space says.*engine='stream'") as caught:
        open_passes(str(tmp_path / name), Asked("loss", space=Space(SPACE)), backend)
    assert "\n" not in str(caught.value)


def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    """In memory's words; files of other kinds are named."""
    asked = Asked("loss", space=Space(SPACE))
    for name in ("none.parquet", "none-*.parquet", "none"):
        with pytest.raises(SourceError, match=r"There is no file or directory .*none"):
            open_passes(str(tmp_path / name), asked)
    (tmp_path / "a.arrow").write_bytes(b"")
    with pytest.raises(SourceError, match=r"does not read '.*a.arrow'"):
        open_passes(str(tmp_path), asked)


def test_paths_mean_what_they_mean_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A home directory, brackets in a name, and directories with files that are not meant."""
    write(tmp_path / "runs" / "a[1].parquet")
    write(tmp_path / "runs" / "a1.parquet", x=[0.1, 0.2, 0.3])
    write(tmp_path / "runs" / "below" / "b.pq", more=[1, 2, 3])
    write(tmp_path / "runs" / "_old" / "c.parquet")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert counted("~/runs/a1.parquet")[0] == 3
    assert counted(tmp_path / "runs" / "a[1].parquet")[0] == 3
    assert counted(tmp_path / "runs" / "a[[]1[]].parquet")[0] == 3
    total, notes = counted("~/runs")
    assert (total, "3 files were read together." in notes) == (9, True)
    assert any("not read: 1" in note for note in notes)


def test_a_space_beside_the_files_is_used(tmp_path: Path) -> None:
    """And named; one that is given goes before it."""
    path = write(tmp_path / "runs.parquet")
    (tmp_path / "runs.space.json").write_text(json.dumps(SPACE))
    assert any("runs.space.json" in note for note in counted(path, None)[1])
    assert not any("runs.space.json" in note for note in counted(path)[1])


def test_directories_say_a_column(tmp_path: Path) -> None:
    """As numbers if all of them spell some, below the directory that is given."""
    for k in ("01", "2", "__HIVE_DEFAULT_PARTITION__"):
        write(tmp_path / "out=1" / f"k={k}" / "a.parquet")
    space = {**SPACE, "k": {"type": "int", "low": 0, "high": 3}}
    assert counted(tmp_path / "out=1", space)[0] == 9
    words = {**SPACE, "k": {"type": "categorical", "choices": ["01", "2", "b"]}}
    write(tmp_path / "out=1" / "k=b" / "a.parquet")
    assert counted(tmp_path / "out=1", words)[0] == 12
    write(tmp_path / "out=1" / "k=b" / "a.parquet", k=["b"] * 3)
    with pytest.raises(DataError, match="'k' is in the files, and the directories say it"):
        open_passes(str(tmp_path / "out=1"), Asked("loss", space=Space(words)))


def test_columns_of_nulls_are_missing(tmp_path: Path) -> None:
    """Whatever they stand for: parameters, the objective, states."""
    nulls = pa.nulls(3)
    path = write(tmp_path / "a.parquet", y=nulls, k=nulls, n=nulls, state=nulls)
    choices = {"type": "categorical", "choices": ["a", "b"]}
    counted(path, {**SPACE, "y": FLOAT, "k": choices, "n": {"type": "int", "low": 0, "high": 3}})
    for name, state in (("state", "state"), ("loss", None)):
        path = write(tmp_path / "b.parquet", **{name: nulls})
        passes = open_passes(str(path), Asked("loss", space=Space(SPACE), state=state))
        counts = passes.tally(Handling()).counts
        passes.close()
        assert (counts.total, counts.used) == (3, 0)
        assert (counts.running, counts.nonfinite) == ((3, 0) if state else (0, 3))


def test_trials_that_are_dropped_are_said_once(tmp_path: Path) -> None:
    """For each parameter, as in memory."""
    path = write(tmp_path / "a.parquet", x=[0.1, 0.2, 7.0])
    total, notes = counted(path, outside="drop")
    assert (total, len([note for note in notes if "left out" in note])) == (2, 1)


def test_an_order_with_gaps_is_refused(tmp_path: Path) -> None:
    """As data that is not right."""
    path = write(tmp_path / "a.parquet", time=[1, None, 2])
    passes = open_passes(str(path), Asked("loss", space=Space(SPACE), order="time"))
    with pytest.raises(DataError, match="empty in 1 rows"):
        passes.tally(Handling())
    passes.close()
