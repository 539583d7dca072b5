"""Directories and patterns of files, Arrow files, and space files beside them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import condped
from condped.errors import DataError, SourceError
from condped.space.domain import Float
from condped.testing import Run, check_reader

FRAMES = [
    pd.DataFrame({"loss": [0.5, 0.25], "lr": [0.1, 0.01]}),
    pd.DataFrame({"loss": [1.0], "lr": [0.5], "momentum": [0.9]}),
]
RUNS = [
    Run([0.5], {"lr": 0.1}),
    Run([0.25], {"lr": 0.01}),
    Run([1.0], {"lr": 0.5, "momentum": 0.9}),
]
# The same, below directories that say which day it was.
BY_DAY = [
    Run(run.values, {**run.parameters, "day": day})
    for run, day in zip(RUNS, (3, 3, 12), strict=True)
]


def arrow_stream(frame: pd.DataFrame, path: Path) -> None:
    """Write a stream rather than a file of Arrow's, as some programs do."""
    table = pa.Table.from_pandas(frame)
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)


WRITERS: dict[str, Callable[[pd.DataFrame, Path], Any]] = {
    "csv": lambda frame, path: frame.to_csv(path, index=False),
    "csv.gz": lambda frame, path: frame.to_csv(path, index=False),
    "tsv": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    "jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    "parquet": lambda frame, path: frame.to_parquet(path),
    "feather": lambda frame, path: pyarrow.feather.write_feather(frame, str(path)),
    "arrow": arrow_stream,
}


@pytest.mark.parametrize("ending", WRITERS)
def test_files_are_read_together(ending: str, tmp_path: Path) -> None:
    """A directory and a pattern give one table; a column that a file lacks is missing there."""
    for day, frame in zip(("03", "12"), FRAMES, strict=True):
        for hidden in ("", ".copies", "_temporary"):  # of programs, not of people
            folder = tmp_path / "runs" / hidden / f"day={day}"
            folder.mkdir(parents=True)
            WRITERS[ending](frame, folder / f"part.{ending}")
    (tmp_path / "runs" / "_SUCCESS").write_text("", encoding="utf-8")
    (tmp_path / "runs" / "notes.txt").write_text("of no interest", encoding="utf-8")
    (tmp_path / "runs" / "again").symlink_to(tmp_path / "runs")
    for source in (str(tmp_path / "runs"), str(tmp_path / "runs" / "d*" / f"*.{ending}")):
        table = check_reader("files", source, BY_DAY, objective="loss")
        assert "2 files were read together." in table.notes
        if "*" not in source:
            assert any(n.startswith("Other files, not read: 6 (") for n in table.notes)
        assert table.ignored_columns == ()
        if ending != "jsonl":
            assert "Column 'momentum' is not in 1 of 2 files; missing there." in table.notes


@pytest.mark.parametrize("ending", ["arrow", "feather"])
def test_a_single_arrow_file_is_read(ending: str, tmp_path: Path) -> None:
    """Whether it was saved as a file or as a stream."""
    for number, write in enumerate((WRITERS["feather"], arrow_stream)):
        path = tmp_path / f"{number}.{ending}"
        write(FRAMES[0], path)
        check_reader("arrow", str(path), RUNS[:2], objective="loss")
    path.write_bytes(b"ARROW?")
    with pytest.raises(DataError, match="cannot be read"):
        condped.read(path, objective="loss")


def test_a_space_file_beside_the_trials_is_used(tmp_path: Path) -> None:
    """For a file that of its name, for a directory or pattern space.json; it is told."""
    space = {"lr": {"type": "float", "low": 0.001, "high": 2.0, "log": True}}
    (tmp_path / "runs.space.json").write_text(json.dumps(space), encoding="utf-8")
    (tmp_path / "all").mkdir()
    (tmp_path / "all" / "space.json").write_text(json.dumps(space), encoding="utf-8")
    for ending in ("csv.gz", "parquet", "jsonl"):
        path, inside = tmp_path / f"runs.{ending}", tmp_path / "all" / f"a.{ending}"
        for where in (path, inside):
            WRITERS[ending](FRAMES[0], where)
        for source in (path, tmp_path / "all", tmp_path / "all" / f"*.{ending}"):
            table = condped.read(source, objective="loss")
            assert table.parameters[0].domains == (Float(0.001, 2.0, log=True),)
            assert not table.space_inferred
            assert any("The domains are those of" in note for note in table.notes)
        given = condped.read(path, objective="loss", space={"lr": Float(0, 1)})
        assert given.parameters[0].domains == (Float(0, 1),)
        inside.unlink()


def test_files_that_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    """Two kinds, none at all, one that is damaged, types that do not fit."""
    with pytest.raises(DataError, match=r"files of one kind \(found: none; known: \.csv"):
        condped.read(tmp_path, objective="loss")
    WRITERS["csv"](FRAMES[0], tmp_path / "a.csv")
    WRITERS["parquet"](FRAMES[0], tmp_path / "b.parquet")
    with pytest.raises(DataError, match=r"\(found: 1 \.csv, 1 \.parquet; known"):
        condped.read(tmp_path, objective="loss")
    (tmp_path / "c.csv").write_text('loss,lr\n1,"2\n', encoding="utf-8")
    pattern = str(tmp_path / "*.csv")
    with pytest.raises(DataError, match=r"c\.csv' is not valid CSV"):
        condped.read(pattern, objective="loss")
    table = check_reader("files", pattern, RUNS[:2], objective="loss", skip_corrupt=True)
    assert any(note.startswith("1 of 2 files cannot be read") for note in table.notes)
    pq.write_table(pa.table({"loss": [[1.0]], "lr": [0.5]}), tmp_path / "d.parquet")
    with pytest.raises(DataError, match="The 2 files have incompatible columns"):
        condped.read(str(tmp_path / "*.parquet"), objective="loss")
    with pytest.raises(SourceError, match="There is no file or directory"):
        condped.read(tmp_path / "nowhere", objective="loss")


def test_what_a_file_or_directory_says_twice_or_hides_is_told(tmp_path: Path) -> None:
    """Links are read once, a frame's index is named, an unreadable directory is an error."""
    WRITERS["csv"](FRAMES[0], tmp_path / "a.csv")
    (tmp_path / "latest.csv").symlink_to(tmp_path / "a.csv")
    table = check_reader("files", str(tmp_path), RUNS[:2], objective="loss")
    assert "Files found again through a link, and read once: 1." in table.notes
    FRAMES[0].set_index("lr").to_parquet(tmp_path / "i.parquet")
    table = condped.read(tmp_path / "i.parquet", objective="loss")
    assert table.notes[0].endswith("i.parquet' was left out: lr.")
    (tmp_path / "sub").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        # Root may read everything: the system itself has to refuse.
        real = os.scandir
        patch.setattr(
            os, "scandir", lambda path: real(path) if "sub" not in str(path) else refused(path)
        )
        with pytest.raises(DataError, match=r"directory '.*sub' cannot be read: Permission denied"):
            condped.read(tmp_path, objective="loss")


def refused(path: Any) -> Any:
    """Refuse a directory as the system does."""
    raise PermissionError(13, "Permission denied", str(path))


def test_a_link_to_itself_is_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    """Named in the error, and left out where damaged files are."""
    (tmp_path / "a.csv").write_text("loss,x\n1,0.5\n2,0.25\n", encoding="utf-8")
    (tmp_path / "b.csv").symlink_to("b.csv")
    with pytest.raises(DataError, match=r"b\.csv' cannot be read: "):
        condped.read(tmp_path, objective="loss")
    found = condped.read(tmp_path, objective="loss", skip_corrupt=True)
    assert len(found) == 2
    assert "1 of 2 files cannot be read" in " ".join(found.notes)
