"""Names that occur twice are found in one pass, wherever names come from."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import condped
from condped.duplicates import first_duplicate
from condped.errors import DataError
from condped.trials.table import TrialTable
from tests.counted_names import Counted


def test_the_first_name_that_came_before() -> None:
    """None where all differ."""
    assert first_duplicate("abcba") == "b"
    assert first_duplicate("abc") is None
    assert first_duplicate([]) is None


def test_names_are_not_compared_with_all_others() -> None:
    """Ten thousand names are compared a few times each at most."""
    names = [Counted(f"p{place % 9_999}") for place in range(10_000)]
    assert first_duplicate(names) == "p0"
    assert Counted.compared < 10_000


@pytest.mark.parametrize("ending", ["csv", "jsonl", "frame", "table"])
def test_a_name_that_occurs_twice_is_named(ending: str, tmp_path: Path) -> None:
    """In a file, a frame, or a table that a program made."""
    if ending == "frame":
        frame = pd.DataFrame([[1, 2, 3]], columns=["loss", "x", "x"])
        with pytest.raises(DataError, match="two columns named 'x'"):
            condped.read(frame, objective="loss")
        return
    if ending == "table":
        table = condped.read({"loss": [1, 2], "x": [0.1, 0.2]}, objective="loss")
        with pytest.raises(DataError, match="two parameters named 'x'"):
            TrialTable((*table.parameters, *table.parameters), table.objectives, table.states)
        return
    path = tmp_path / f"trials.{ending}"
    path.write_text(
        {"csv": "loss,x,x\n1,2,3\n", "jsonl": '[{"loss": 1, "x": 2, "x": 3}]'}[ending],
        encoding="utf-8",
    )
    with pytest.raises(DataError, match="'x'"):
        condped.read(path, objective="loss")
