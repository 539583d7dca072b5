"""CSV files, as people and tools really write them."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from condped import Categorical, Float, Int, TrialTable, read, when
from condped.errors import DataError, SourceError
from tests.read.tables import EXPECTED, SPACE, TRIALS, parameters_of, plain


def file(folder: Path, content: str | bytes, name: str = "trials.csv") -> Path:
    """Write a file, byte by byte as given."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def rows(folder: Path, content: str | bytes, space: Any = None, **options: Any) -> TrialTable:
    """Read a file with this content and the objective 'loss'."""
    return read(file(folder, content), objective="loss", space=space, **options)


def written(columns: dict[str, list[Any]], separator: str = ",", missing: str = "") -> str:
    """Write columns as the csv module does."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator)
    writer.writerow(columns)
    for row in zip(*columns.values(), strict=True):
        writer.writerow([missing if value is None else value for value in row])
    return text.getvalue()


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("missing", ["", " ", "NA", "nan", "NaN", "null", "None", "<NA>", "n/a"])
def test_a_file_gives_the_mappings_table(tmp_path: Path, separator: str, missing: str) -> None:
    """Any usual separator and any usual spelling of nothing."""
    columns = {name: TRIALS[name] for name in TRIALS if name != "comment"}
    table = rows(tmp_path, written(columns, separator, missing), SPACE)
    assert parameters_of(table) == EXPECTED
    assert plain(replace(table, notes=())) == plain(read(columns, objective="loss", space=SPACE))
    assert bool(table.notes) == bool(missing.strip())  # words for nothing are told


WORDS = ("none", "None", "NA", "nan", "null", "n/a", "NULL")


def inferred(folder: Path, header: str, lines: list[str]) -> TrialTable:
    """Read a table without a space."""
    path = folder / "t.csv"
    path.write_text("\n".join([header, *lines]), encoding="utf-8")
    return read(path, objective="loss")


@pytest.mark.parametrize("word", WORDS)
def test_words_for_nothing_are_a_choice_among_texts(tmp_path: Path, word: str) -> None:
    """All spellings alike, whatever failed trials have as a loss; empty cells are absent."""
    cells = [word, "balanced", "", word] * 3
    lines = [f"{'nan' if i == 2 else i},{cell}" for i, cell in enumerate(cells)]
    table = inferred(tmp_path, "loss,weight", lines)
    (weight,) = table.parameters
    (domain,) = weight.domains
    assert set(domain.choices) == {word, "balanced"}  # type: ignore[union-attr]
    assert (weight.domain_ids >= 0).tolist() == [True, True, False, True] * 3
    (note,) = table.notes
    assert note.startswith("Cells such as NA, nan or None were taken as a choice in weight (6);")


@pytest.mark.parametrize("word", WORDS)
def test_words_for_nothing_are_absent_where_numbers_have_them(tmp_path: Path, word: str) -> None:
    """A table that writes them where a number is absent means the same among texts."""
    lines = [f"{i},{['rbf', word, 'poly'][i % 3]},{['1', word, '2.5'][i % 3]}" for i in range(12)]
    table = inferred(tmp_path, "loss,kernel,gamma", lines)
    for parameter in table.parameters:
        assert (parameter.domain_ids >= 0).tolist() == [True, False, True] * 4
    assert table.notes == (
        "Cells such as NA, nan or None were taken as missing in kernel (4), gamma (4).",
    )


def test_spellings_of_one_choice_are_one(tmp_path: Path) -> None:
    """The most frequent one names it; beside empty cells it is no absence."""
    cells = ["None", "balanced", "NA", "", "None"] * 3
    lines = [f"{i},{cell},{['3', 'None'][i % 2]}" for i, cell in enumerate(cells)]
    weight, depth = inferred(tmp_path, "loss,weight,depth", lines).parameters
    assert weight.domains == (Categorical(["None", "balanced"]),)
    assert (weight.domain_ids >= 0).tolist() == [True, True, True, False, True] * 3
    assert np.count_nonzero(depth.domain_ids >= 0) == 8


def test_lines_of_another_length_are_left_out_only_by_a_flag(tmp_path: Path) -> None:
    """And then counted."""
    path = tmp_path / "t.csv"
    path.write_text("loss,x\n1,2\n3\n4,5\n6,7,8\n9,1\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"^Line 3 of .* has 1 cells.*option skip_corrupt"):
        read(path, objective="loss")
    table = read(path, objective="loss", skip_corrupt=True)
    assert table.objectives[0].values.tolist() == [1, 4, 9]
    assert table.notes[0].endswith("than the header, left out: 2 (first: line 3).")


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"], ids=["plain", "byte order mark"])
@pytest.mark.parametrize("last", ["", "{e}", "{e}{e}{e}"], ids=["unended", "ended", "blank lines"])
def test_line_endings_and_marks_make_no_difference(
    tmp_path: Path, ending: str, start: bytes, last: str
) -> None:
    """Windows, old Macs, blank lines in the middle and at the end."""
    text = ending.join(["loss,x", "", "1,0.5", "", "2,"]) + last.format(e=ending)
    table = rows(tmp_path, start + text.encode(), {"x": Float(0, 1)})
    assert table.objectives[0].values.tolist() == [1, 2]
    assert parameters_of(table) == {"x": ([0.5, None], [0, -1])}


def test_a_path_may_be_a_text_and_its_ending_in_capitals(tmp_path: Path) -> None:
    """TRIALS.TSV is a table separated by tabs."""
    path = file(tmp_path, "loss\tx\n1\t2\n2\t3\n", "TRIALS.TSV")
    assert plain(read(str(path), objective="loss")) == plain(read(path, objective="loss"))


def test_quoted_cells_may_hold_separators_quotes_and_line_breaks(tmp_path: Path) -> None:
    """The csv module's rules."""
    table = rows(tmp_path, 'loss,k\n1,"a,b"\n2,"c""d"\n3,"e\nf"\n')
    assert table.parameters[0].domains == (Categorical(["a,b", 'c"d', "e\nf"]),)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("name", ["a;b;c", "a,b,c", "a\tb\tc"])
def test_separators_inside_a_quoted_name_do_not_count(
    tmp_path: Path, name: str, separator: str
) -> None:
    """Which character separates is told outside of quotes."""
    lines = [f'"{name}"', "loss"], ["1", "2"], ["3", "4"]
    table = rows(tmp_path, "\n".join(separator.join(line) for line in lines))
    assert parameters_of(table) == {name: ([1, 3], [0, 0])}


def test_cells_are_texts_until_the_space_says_otherwise(tmp_path: Path) -> None:
    """'01' is a choice of its own, whatever number it could be."""
    content = "loss,k\n1,01\n2,1\n3,1.0\n"
    table = rows(tmp_path, content, {"k": Categorical(["1", "01", "1.0"])})
    assert parameters_of(table)["k"][0] == [1, 0, 2]


def test_numeric_choices_are_known_by_their_value(tmp_path: Path) -> None:
    """16, 16.0 and 1.6e1 spell the choice 16."""
    table = rows(tmp_path, "loss,k\n1,16\n2,16.0\n3,1.6e1\n4,0.5\n", {"k": Categorical([0.5, 16])})
    assert parameters_of(table)["k"][0] == [1, 1, 1, 0]


def test_boolean_choices_are_known_in_any_case(tmp_path: Path) -> None:
    """True, true and TRUE."""
    content = "loss,k\n1,True\n2,true\n3,TRUE\n4,False\n"
    table = rows(tmp_path, content, {"k": Categorical([False, True])})
    assert parameters_of(table)["k"][0] == [1, 1, 1, 0]


def test_choices_that_spell_a_missing_value_are_choices(tmp_path: Path) -> None:
    """Where 'NA' and 'None' are choices, only other spellings are missing."""
    space = {"k": Categorical(["NA", "None", "nan", ""])}
    table = rows(tmp_path, "loss,k\n1,NA\n2,None\n3,nan\n4,\n5,null\n", space)
    assert parameters_of(table)["k"] == ([0, 1, 2, 3, None], [0, 0, 0, 0, -1])


def test_the_choice_none_is_what_a_missing_cell_means(tmp_path: Path) -> None:
    """Empty and None both spell the choice None."""
    table = rows(tmp_path, "loss,k\n1,None\n2,\n3,a\n", {"k": Categorical([None, "a"])})
    assert parameters_of(table)["k"][0] == [0, 0, 1]


@pytest.mark.parametrize("choices", [[None, "none"], ["none", None]])
def test_a_text_choice_comes_before_the_spelling_of_none(tmp_path: Path, choices: Any) -> None:
    """Whatever the order of the choices, a cell that is a choice letter by letter is that one."""
    table = rows(tmp_path, "loss,k\n1,none\n2,\n", {"k": Categorical(choices)})
    assert parameters_of(table)["k"][0] == [choices.index("none"), choices.index(None)]


@pytest.mark.parametrize("choices", [[1, "1"], ["1", 1], [True, "true"], ["true", True]])
def test_a_text_choice_comes_before_a_value_of_the_same_spelling(
    tmp_path: Path, choices: Any
) -> None:
    """The file holds texts, so the text is the nearer reading."""
    text = next(choice for choice in choices if isinstance(choice, str))
    table = rows(tmp_path, f"loss,k\n1,{text}\n", {"k": Categorical(choices)})
    assert parameters_of(table)["k"][0] == [choices.index(text)]


@pytest.mark.parametrize(
    "cells", [["64_32", "128_64", "1_2"], ["1_0.5", "2_0.5", "3_0.5"]], ids=["ints", "floats"]
)
def test_digits_joined_by_underscores_are_texts(tmp_path: Path, cells: list[str]) -> None:
    """Layer sizes such as 64_32 are no numbers, though Python's source would allow them."""
    table = rows(tmp_path, written({"loss": [1, 2, 3], "k": cells}))
    assert table.parameters[0].domains == (Categorical(sorted(cells)),)
    with pytest.raises(DataError, match="must be numeric") as caught:
        rows(tmp_path, written({"loss": cells, "k": cells}))
    assert (caught.value.first_row, caught.value.count) == (0, 3)


def test_one_bad_cell_among_numbers_is_the_one_that_is_named(tmp_path: Path) -> None:
    """Not the first cell of its column."""
    content = "loss,x\n1,0.5\n2,oops\n3,0.7\n4,0.5\n5,1e\n"
    with pytest.raises(DataError, match="'oops'") as caught:
        rows(tmp_path, content, {"x": Float(0, 1)})
    assert (caught.value.column, caught.value.first_row, caught.value.count) == ("x", 1, 2)


def test_ints_stay_exact_beyond_2_to_the_53(tmp_path: Path) -> None:
    """Also beside empty cells."""
    table = rows(tmp_path, f"loss,n\n1,{2**60 + 1}\n2,\n3,7\n")
    assert parameters_of(table)["n"][0] == [2**60 + 1, None, 7]


def test_numbers_beyond_64_bits_are_floats(tmp_path: Path) -> None:
    """An inferred domain holds the values that it was inferred from."""
    table = rows(tmp_path, "loss,n\n1,99999999999999999999999\n2,1\n3,5\n")
    assert parameters_of(table)["n"][0] == [1e23, 1, 5]


def test_infinite_objectives_are_read_as_such(tmp_path: Path) -> None:
    """What becomes of them is the analysis's choice."""
    values = rows(tmp_path, "loss,x\ninf,1\n-Infinity,2\n1e400,3\n").objectives[0].values
    assert values.tolist() == [float("inf"), float("-inf"), float("inf")]


def test_conditions_work_on_a_files_values(tmp_path: Path) -> None:
    """Numbers and choices are what the space says by the time that conditions look."""
    space = {
        "size": Categorical([1, 2]),
        "flag": Categorical([True, False]),
        "x": when("size == 1 and flag == true", Float(0, 1)),
    }
    table = rows(tmp_path, "loss,size,flag,x\n1,1,True,0.5\n2,1,False,\n3,2,True,\n", space)
    assert parameters_of(table)["x"] == ([0.5, None, None], [0, -1, -1])
    assert table.notes == ()


def test_the_index_that_pandas_writes_is_not_a_parameter(tmp_path: Path) -> None:
    """to_csv() puts it in front under an empty name; it is listed as not used."""
    path = tmp_path / "trials.csv"
    pd.DataFrame({"loss": [1.0, 2.0, 3.0], "x": [0.1, 0.2, 0.4]}).to_csv(path)
    table = read(path, objective="loss")
    assert table.names == ("x",)
    assert table.ignored_columns == ("",)


def test_a_column_of_empty_cells_is_an_absent_parameter(tmp_path: Path) -> None:
    """Given a domain of any kind; without a space it is left out."""
    for domain in (Float(0, 1), Int(0, 1), Categorical(["a"])):
        table = rows(tmp_path, "loss,x\n1,\n2,\n", {"x": domain})
        assert parameters_of(table)["x"][1] == [-1, -1]
    assert rows(tmp_path, "loss,x\n1,\n2,\n").ignored_columns == ("x",)


def test_a_state_column_may_be_empty(tmp_path: Path) -> None:
    """A trial without a state has not ended, in a file as in a mapping."""
    table = rows(tmp_path, "loss,x,end\n1,1,\n2,2,\n", state="end")
    assert table.states.tolist() == [3, 3]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "is empty"),
        ("\nloss,x\n1,2\n", "first line"),
        ("loss,x\n", "no rows"),
        ("loss,x\n\n\n", "no rows"),
        ("loss,x\n1,2\n3\n", "Line 3.*1 cell.*header has 2"),
        ("loss,x\n1,2,3\n", "Line 2.*3 cells.*header has 2"),
        ('loss,x\n1,"a\nb"\n3\n', "Line 4"),
        ("loss,x\n1,2\n   \n3,4\n", "Line 3"),
        ('loss,x\n1,"2\n3,4\n', "not valid CSV"),
        ('loss,x\n1,"2"3\n', "not valid CSV"),
        ("loss,x,x\n1,2,3\n", "two columns named 'x'"),
        pytest.param("loss,größe\n1,2\n".encode("latin-1"), "not UTF-8", id="latin-1"),
        pytest.param("loss,x\n1,2\n".encode("utf-16"), "not UTF-8", id="utf-16"),
        pytest.param("loss,x\n1," + "a" * 200_000 + "\n", "not valid CSV", id="endless cell"),
    ],
)
def test_a_file_that_is_no_table_is_refused(tmp_path: Path, content: Any, says: str) -> None:
    """Each refusal is a DataError that says where."""
    with pytest.raises(DataError, match=says):
        rows(tmp_path, content)


def test_a_decimal_comma_is_told_by_the_row_that_holds_it(tmp_path: Path) -> None:
    """Numbers such as 1,5 are not guessed at."""
    with pytest.raises(DataError, match="'1,5'") as caught:
        rows(tmp_path, "loss;x\n2;1\n1,5;2\n")
    assert (caught.value.first_row, caught.value.count) == (1, 1)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    """And a text that no file can be called."""
    with pytest.raises(DataError, match="cannot be read"):
        read(tmp_path / "none.csv", objective="loss")
    with pytest.raises(SourceError, match="cannot contain zero bytes"):
        read("no\0path.csv", objective="loss")
