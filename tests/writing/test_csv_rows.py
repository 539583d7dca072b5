"""CSV that spreadsheets show and do not run."""

from __future__ import annotations

import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import condped
from condped.writing.csv_rows import csv_of


def cells_of(text: str) -> list[str]:
    """Return the cells under the line of names, as any reader of CSV has them."""
    return [row["x"] for row in csv.DictReader(io.StringIO(text, newline=""))]


@pytest.mark.parametrize(
    "name",
    ["=1+1", "+1+1", "-1+cmd|' /C calc'!A0", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", "－x",
     "＠a", "'=1", "-"],
)  # fmt: skip
def test_formulas_stay_texts(name: str) -> None:
    """An apostrophe stands before them."""
    assert cells_of(csv_of([{"x": name}], ("x",))) == [f"'{name}"]


@pytest.mark.parametrize(
    "value", [-1, -0.5, 1e-300, float("-inf"), "-1", "-1.5e3", "+2", "x", "a=1", "'a", "", " =1"]
)
def test_numbers_and_other_texts_are_left_alone(value: object) -> None:
    """Also texts that are numbers."""
    assert cells_of(csv_of([{"x": value}], ("x",))) == [str(value)]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))))
def test_every_name_can_be_had_back(names: list[str]) -> None:
    """By taking away the first of several apostrophes before a sign of a formula."""
    cells = cells_of(csv_of([{"x": name} for name in names], ("x",)))
    back = [re.sub(r"\A'('*[=+\-@\t\r\n＝＋－＠])", r"\1", cell) for cell in cells]
    assert back == names


def test_results_have_such_cells() -> None:
    """Names, choices and sentences; numbers stay numbers."""
    source = {
        "loss": [n * 7 % 31 for n in range(60)],
        "=x": [("+a", "-b")[n % 2] for n in range(60)],
    }
    text = condped.importance(source, objective="loss").to_csv()
    row = next(csv.DictReader(io.StringIO(text)))
    assert row["parameter"] == "'=x"
    for name, value in row.items():
        if value[:1] in tuple("=+-@\t\r"):
            assert float(value) < 0, name
