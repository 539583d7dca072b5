"""Files of JSON lines, plain and compressed, and lists of records."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import pytest

import condped
from condped.errors import DataError, MissingLibraryError, NoTrialsError
from condped.testing import Run, check_reader

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

TRIALS: list[dict[str, Any]] = [
    {"loss": 0.5, "lr": 0.1, "opt": "adam"},
    {"loss": 0.25, "lr": 0.01, "opt": "sgd", "momentum": {"value": 0.9, "nesterov; --": True}},
    {"loss": float("nan"), "lr": 1, "opt": "sgd", "momentum": {"value": 0.5}},
    {"lr": 0.5, "opt": "<b>ädam</b>", "loss": 3, "momentum": {"value": None}},
]
RUNS = [
    Run([0.5], {"lr": 0.1, "opt": "adam"}),
    Run(
        [0.25],
        {"lr": 0.01, "opt": "sgd", "momentum.value": 0.9, "momentum.nesterov; --": True},
    ),
    Run([None], {"lr": 1.0, "opt": "sgd", "momentum.value": 0.5}),
    Run([3.0], {"lr": 0.5, "opt": "<b>ädam</b>"}),
]
LINES = "\n".join(map(json.dumps, TRIALS)).encode() + b"\n"


def test_objects_are_trials_and_nested_ones_are_taken_apart(tmp_path: Path) -> None:
    """A key that a line does not have is a parameter that was inactive."""
    for ending in (".jsonl", ".ndjson", ".JSONL"):
        path = tmp_path / f"runs{ending}"
        path.write_bytes(LINES)
        check_reader("json-lines", str(path), RUNS, objective="loss")
    path.write_bytes(LINES.replace(b"\n", b"\n\n  \r\n"))  # blank lines are no trials
    check_reader("json-lines", str(path), RUNS, objective="loss")
    path = tmp_path / "runs.json"
    path.write_text(json.dumps(TRIALS), encoding="utf-8")
    check_reader("json-lines", str(path), RUNS, objective="loss")
    check_reader("records", TRIALS, RUNS, objective="loss")


def test_compressed_files_are_read_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of gzip and of zstd; damage is told, and so is a library that is missing."""
    packed = {".gz": gzip.compress(LINES), ".zst": zstd.compress(LINES)}
    for ending, data in packed.items():
        path = tmp_path / f"runs.jsonl{ending}"
        path.write_bytes(data)
        check_reader("json-lines", str(path), RUNS, objective="loss")
        for damaged in (data[:-20], data[:10] + b"\xff" * 40 + data[10:], b"nothing"):
            path.write_bytes(damaged)
            with pytest.raises(DataError, match=r"runs\.jsonl\.\w+' cannot be read"):
                condped.read(path, objective="loss")
    monkeypatch.delitem(sys.modules, "condped.read.files.zstd_backports")
    for name in [name for name in sys.modules if name.startswith("backports")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "backports", None)
    with pytest.raises(MissingLibraryError, match=r"condped\[zstd\]"):
        condped.read(path, objective="loss")


def test_lines_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    """The last may be in the making; others need a flag, and are counted."""
    path = tmp_path / "runs.jsonl"
    path.write_bytes(LINES + b'{"loss": 0.1, "l')
    table = check_reader("json-lines", str(path), RUNS, objective="loss")
    assert any(note.startswith("Line 5 of ") and "cut off" in note for note in table.notes)
    for odd in (b'{"loss": 3, "x": oops}\n', b"123\n", b'{"a": 1, "a": 2}\n', b"[" * 10**5):
        path.write_bytes(LINES + odd + b"\n")  # whole lines, and no trials
        with pytest.raises(DataError, match=r"^Line 5 of "):
            condped.read(path, objective="loss")
    path.write_bytes(b'{"loss": 1}, {"loss": 2}\n{"loss": 3, "z": ["q"\n"b"]}\n')
    with pytest.raises(DataError, match=r"^Line 1 of "):
        condped.read(path, objective="loss")
    first, rest = LINES.split(b"\n", 1)
    path.write_bytes(first + b"\n[1, 2]\nnonsense\n" + rest)
    with pytest.raises(
        DataError, match=r"^Line 2 of .* is not a JSON object.*; 1 valid lines come"
    ):
        condped.read(path, objective="loss")
    table = check_reader("json-lines", str(path), RUNS, objective="loss", skip_corrupt=True)
    assert any(note.startswith("2 of 6 lines of ") for note in table.notes)
    for text, message in (
        ("[1]", "Entry 0 of the list"),
        ('[{"a": ', "not valid JSON"),
        ('[{"a": 1, "a": 2}]', "names 'a' twice"),
        ('[{"a.b": 1, "a": {"b": 2}}]', "'a.b' occurs twice in one trial"),
        ("[" * 100_000 + "]" * 100_000, "not valid JSON"),
    ):
        (tmp_path / "list.json").write_text(text, encoding="utf-8")
        with pytest.raises(DataError, match=message):
            condped.read(tmp_path / "list.json", objective="loss")


def test_runs_exported_from_wandb_are_recognised(tmp_path: Path) -> None:
    """What was configured becomes parameters, what was summarised objectives."""
    path = tmp_path / "export.jsonl"
    runs = [
        {"name": f"run-{i}", "state": state, "config": {"lr": 0.1 * i}, "summary": {"loss": i}}
        for i, state in enumerate(["finished", "crashed", "finished"], 1)
    ]
    path.write_text("\n".join(map(json.dumps, runs)), encoding="utf-8")
    for objective in ("loss", "summary.loss"):
        table = condped.read(path, objective=objective)
        assert table.names == ("lr",)
        assert [objective.name for objective in table.objectives] == ["loss"]
        assert table.states.tolist() == [0, 2, 0]


@pytest.mark.parametrize(("name", "text", "says"), [
    ("a.jsonl", '{"loss": 1}{"loss": 2}', "Line 1 of '.*' is cut off"),
    ("a.csv", "x,loss\n1\n2\n", "left out: 2 "),
])  # fmt: skip
def test_what_was_left_out_is_told_even_if_nothing_else_is_there(
    name: str, text: str, says: str, tmp_path: Path
) -> None:
    """A file with lines is not just said to have none."""
    (tmp_path / name).write_text(text)
    with pytest.raises(NoTrialsError, match=says):
        condped.read(tmp_path / name, objective="loss", skip_corrupt=name.endswith("csv"))
