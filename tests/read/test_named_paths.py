"""Texts that no file can be called, at every entry that takes a path."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import condped
from condped.errors import CondpedError, SourceError
from condped.read.opening import open_source

X = {"x": {"type": "float", "low": 0, "high": 1}}
ENTRIES: dict[str, Callable[[str], Any]] = {
    "read": lambda text: condped.read(text, objective="loss"),
    "read a .db": lambda text: condped.read(f"{text}.db", objective="loss"),
    "read SQLite": lambda text: condped.read(f"sqlite:///{text}", objective="loss"),
    "read DuckDB": lambda text: condped.read(f"{text}.duckdb", objective="loss"),
    "stream": lambda text: open_source(text, engine="stream", objective="loss", space=X),
    "importance": lambda text: condped.importance(f"{text}.csv", objective="loss"),
    "studies": condped.studies,
    "across one": condped.across,
    "across": lambda text: condped.across([text, "other.csv"]),
    "load": condped.load,
}


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("text", ["~nobody_x/a.csv", "~nobody_x", "a" * 400, "a\0b"])
def test_what_no_file_can_be_called_is_an_error_of_ours(
    entry: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user who does not exist, a name that is too long, and a byte that no name holds."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CondpedError) as caught:
        ENTRIES[entry](text)
    assert "please report" not in str(caught.value)


def test_a_tilde_without_a_user_is_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the shell has it, the text stays as it is; alone it is the home directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    Path("~nobody_x").write_text("x,loss\n1,2\n")
    Path("a.csv").write_text("x,loss\n1,2\n")
    assert len(condped.read("~nobody_x", objective="loss", reader="csv")) == 1
    assert len(condped.read("~/a.csv", objective="loss")) == 1


def test_what_is_no_path_is_no_saved_result() -> None:
    """Whatever its type."""
    with pytest.raises(SourceError, match="loaded by its path"):
        condped.load(7)  # type: ignore[arg-type]
