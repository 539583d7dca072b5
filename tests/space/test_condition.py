"""The language of conditions: what it means, and what it refuses."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from condped.errors import ConditionError
from condped.space import Condition
from condped.trials.columns import NumberColumn, array_column

COLUMNS: dict[str, list[Any]] = {
    "c": [0.0, 0.5, 1.0, None, -2.0],
    "d": [1, 0, 1, 2, None],
    "k": ["a", "b", None, "it's", "a"],
    "flag": [True, False, True, None, False],
    "layer 1.size": [1, 2, 3, 4, 5],
    "größe": [5, 4, 3, 2, 1],
    "opt.lr": [1, 2, 3, 4, 5],
}


def held(text: str, columns: dict[str, list[Any]] = COLUMNS) -> list[int]:
    """Return the rows where a condition holds."""
    read = {name: array_column(values) for name, values in columns.items()}
    return np.flatnonzero(Condition.parse(text).holds(read)).tolist()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        # Comparisons; row 3 of c and row 4 of d are absent.
        ("c < 0.5", [0, 4]),
        ("c <= 0.5", [0, 1, 4]),
        ("c > 0.5", [2]),
        ("c >= 0.5", [1, 2]),
        ("c == 0.5", [1]),
        ("c != 0.5", [0, 2, 4]),
        ("0.5 > c", [0, 4]),
        ("0.5 >= c", [0, 1, 4]),
        ("0.5 == c", [1]),
        ("c < d", [0]),
        ("c == d", [2]),
        ("c > d", [1]),
        # Numbers.
        ("c > -1", [0, 1, 2]),
        ("c>-1", [0, 1, 2]),
        ("c < +.6", [0, 1, 4]),
        ("c >= 5e-1", [1, 2]),
        ("c >= 5E+0", []),
        ("c < 1.", [0, 1, 4]),
        ("c > -1.5e0", [0, 1, 2]),
        # Chains.
        ("0 < c <= 1", [1, 2]),
        ("0 <= c < d", [0]),
        ("1 >= c > -5", [0, 1, 2, 4]),
        ("0 <= c <= d <= 1", [0, 2]),
        # Membership.
        ("c in [0, 1]", [0, 2]),
        ("c in (0, 1)", [0, 2]),
        ("c not in [0, 1]", [1, 4]),
        ("k in ['a']", [0, 4]),
        ('k in ["b", "it\'s"]', [1, 3]),
        ("k not in ['a', 'b']", [3]),
        # Texts and constants.
        ("k == 'a'", [0, 4]),
        ("k != 'a'", [1, 3]),
        ("'a' == k", [0, 4]),
        (r"k == 'it\'s'", [3]),
        ('k == "it\'s"', [3]),
        ("flag == true", [0, 2]),
        ("flag == False", [1, 4]),
        ("flag != TRUE", [1, 4]),
        ("d == none", []),
        # Precedence: not before and before or; parentheses before all.
        ("c == 1 or c == 0 and k == 'b'", [2]),
        ("(c == 1 or c == 0) and k == 'b'", []),
        ("c == 0 and k == 'a' or c == 1", [0, 2]),
        ("not c == 0 and d == 1", [2]),
        ("not (c == 0 and d == 1)", [1, 2, 3, 4]),
        ("not c == 0 or d == 1", [0, 1, 2, 3, 4]),
        ("not not c == 0", [0]),
        ("((c == 0))", [0]),
        # Absent: no comparison holds, whatever the operator; not turns that round.
        ("c != 99", [0, 1, 2, 4]),
        ("not c == 99", [0, 1, 2, 3, 4]),
        ("not (c < 99)", [3]),
        ("not c in [0]", [1, 2, 3, 4]),
        ("c not in [99]", [0, 1, 2, 4]),
        ("c != d", [0, 1]),
        # Names.
        ("`layer 1.size` < 3", [0, 1]),
        ("größe < 3", [3, 4]),
        ("`größe`<3", [3, 4]),
        ("opt.lr >= 4", [3, 4]),
        ("\n  opt.lr\t>=\r\n4  ", [3, 4]),
    ],
)
def test_conditions_hold_where_they_should(text: str, rows: list[int]) -> None:
    """Every construct of the language, by hand."""
    assert held(text) == rows


@pytest.mark.parametrize("name", ["and", "or", "not", "in", "true", "None", "1", "a'b", "<img>"])
def test_backticks_make_any_text_a_name(name: str) -> None:
    """Words of the language, numbers and markup can all be parameters."""
    assert held(f"`{name}` == 1", {name: [1, 2]}) == [0]
    assert Condition.parse(f"`{name}` == 1").names == (name,)


@pytest.mark.parametrize("name", ["order", "android", "inner", "nothing", "trueish", "_x", "x1"])
def test_names_may_begin_like_words_of_the_language(name: str) -> None:
    """A word ends where the name does."""
    assert held(f"not {name} == 1 and {name} in [2]", {name: [1, 2]}) == [1]


def test_names_are_listed_once_in_order_of_appearance() -> None:
    """Both sides of a comparison and all parts count."""
    condition = Condition.parse("b < 1 and (a > b or not z in [1]) and 0 < y < a")
    assert condition.names == ("b", "a", "z", "y")


def test_ints_beyond_2_to_the_53_are_compared_exactly() -> None:
    """Neighbours that are one and the same float stay apart."""
    columns = {"n": [2**60, 2**60 + 1]}
    assert held(f"n > {2**60}", columns) == [1]
    assert held(f"n == {2**60 + 1}", columns) == [1]


def test_a_text_like_a_number_is_not_that_number() -> None:
    """Choices '1' and 1 are two things."""
    columns: dict[str, list[Any]] = {"k": ["1", "x", 1]}
    assert held("k == '1'", columns) == [0]
    assert held("k == 1", columns) == [2]


@pytest.mark.parametrize(
    "text",
    ["c < " + "9" * 400, "c <= 1e999", "c > -" + "9" * 400, "-1e999 < c"],
)
@pytest.mark.parametrize("values", [[0.5, None], [1, None]])
def test_numbers_beyond_all_floats_compare_like_infinity(text: str, values: list[Any]) -> None:
    """A bound that no float can hold is still above or below every value."""
    assert held(text, {"c": values}) == [0]


# ---------------------------------------------------------------------------- against Python

_LEAVES = [
    # (condition, the same in Python where None stands for absent)
    ("c < 0.5", "(c is not None and c < 0.5)"),
    ("c >= -1e-1", "(c is not None and c >= -1e-1)"),
    ("1 > c", "(c is not None and 1 > c)"),
    ("d == 2", "(d is not None and d == 2)"),
    ("d != 2", "(d is not None and d != 2)"),
    ("c < d", "(c is not None and d is not None and c < d)"),
    ("d <= c", "(c is not None and d is not None and d <= c)"),
    ("0 <= c < d", "(c is not None and d is not None and 0 <= c < d)"),
    ("0 < d <= 2", "(d is not None and 0 < d <= 2)"),
    ("c in [0, 1, 0.5]", "(c is not None and c in [0, 1, 0.5])"),
    ("d not in (0, 2)", "(d is not None and d not in (0, 2))"),
    ("k == 'a'", "(k is not None and k == 'a')"),
    ("k != 'b c'", "(k is not None and k != 'b c')"),
    ("k < 'b'", "(k is not None and k < 'b')"),
    ("k in ['a', 'b c']", "(k is not None and k in ['a', 'b c'])"),
    ("k not in ['a']", "(k is not None and k not in ['a'])"),
]


def _grown(part: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    # No parentheses but those written out, so that precedence is Python's own.
    return st.one_of(
        st.tuples(part, st.sampled_from([" and ", " or "]), part).map("".join),
        part.map("not {}".format),
        part.map("({})".format),
    )


_SHAPES = st.recursive(
    st.sampled_from([f"<{number}>" for number in range(len(_LEAVES))]), _grown, max_leaves=8
)
_ROWS = st.lists(
    st.tuples(
        st.sampled_from([None, -0.1, 0.0, 0.5, 1.0, 3.0]),
        st.sampled_from([None, 0, 1, 2]),
        st.sampled_from([None, "a", "b", "b c"]),
    ),
    min_size=1,
    max_size=8,
)


@given(shape=_SHAPES, rows=_ROWS)
def test_random_conditions_agree_with_python(shape: str, rows: list[tuple[Any, ...]]) -> None:
    """Python evaluates the same text row by row, with absence spelled out."""

    def spelled(side: int) -> str:
        return re.sub(r"<(\d+)>", lambda found: _LEAVES[int(found[1])][side], shape)

    columns = dict(zip("cdk", map(list, zip(*rows, strict=True)), strict=True))
    expected = [
        row
        for row, (c, d, k) in enumerate(rows)
        if eval(spelled(1), {"__builtins__": {}}, {"c": c, "d": d, "k": k})
    ]
    # A column without any value is of no type at all: make it one of numbers.
    read = {name: array_column(values) for name, values in columns.items()}
    for name in "cd":
        if not any(value is not None for value in columns[name]):
            read[name] = NumberColumn(np.full(len(rows), np.nan), np.ones(len(rows), bool))
    found = Condition.parse(spelled(0)).holds(read)  # type: ignore[arg-type]
    assert np.flatnonzero(found).tolist() == expected


# ---------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", 0),
        ("c", 1),
        ("c <", 3),
        ("< 1", 0),
        ("c < 1 d", 6),
        ("c < 1 and", 9),
        ("c < 1 and or d < 1", 10),
        ("not", 3),
        ("()", 1),
        ("(c < 1", 6),
        ("c < 1)", 5),
        ("c = 1", 2),
        ("c =< 1", 2),
        ("c < 1 & d < 1", 6),
        ("c < 1;", 5),
        ("c < ?", 4),
        ("c < 0.5.3", 7),
        ("c < 1_000", 5),
        ("c is none", 2),
        ("c not 5", 6),
        ("c in []", 6),
        ("c in [1,]", 8),
        ("c in [1)", 7),
        ("c in [d]", 6),
        ("c in 'abc'", 5),
        ("5 in [5]", 0),
        ("1 < 2", 0),
        ("'a' == 'a'", 0),
        ("k == 'a", 5),
        ('k == "a', 5),
        ("`` < 1", 0),
        ("`c < 1", 0),
        ("learning-rate < 1", 8),
        ("3c < 1", 1),
        ("c < 1 if true else 0", 6),
        ("lambda: 1", 6),
    ],
)
def test_what_does_not_parse_is_refused_with_its_place(text: str, place: int) -> None:
    """The message counts characters from 0 to where the text stops making sense."""
    with pytest.raises(ConditionError, match=rf"at character {place}\b"):
        Condition.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(r"k == '\x'", id="truncated escape"),
        pytest.param(r"k == '\N{no such character}'", id="unknown character name"),
        pytest.param("k == 'a\0b'", id="null byte"),
        pytest.param("k == '\ud800'", id="lone surrogate"),
        pytest.param("c < " + "9" * 5000, id="digits without end"),
        pytest.param("(" * 5000 + "c < 1" + ")" * 5000, id="parentheses without end"),
        pytest.param("not " * 5000 + "c < 1", id="negations without end"),
        pytest.param("c < 1 and " * 20_000 + "c < 1", id="a very long condition"),
        pytest.param("   ", id="nothing but space"),
    ],
)
def test_hostile_texts_are_conditions_or_condition_errors(text: str) -> None:
    """Whatever the text holds, no other error comes out, while it is parsed or evaluated."""
    try:
        condition = Condition.parse(text)
    except ConditionError as error:
        message = str(error)
    else:
        condition.holds({"c": array_column([1.0]), "k": array_column(["a"])})  # type: ignore[dict-item]
        return
    assert "at character" in message


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        (r"k == 'C:\data'", r"C:\data"),
        (r"k == 'C:\\data'", r"C:\data"),
        ("k == 'two\nlines'", "two\nlines"),
        (r"k == 'two\nlines'", "two\nlines"),
        ("k == 'größer µ 漢'", "größer µ 漢"),
        ("k == 'a`b'", "a`b"),
        ("k == ' and '", " and "),
        ("k == ''", ""),
    ],
)
def test_quoted_texts_may_hold_anything(text: str, choice: str) -> None:
    """Backslashes, line breaks and words of the language are just text between quotes."""
    assert held(text, {"k": [choice, "other"]}) == [0]


@given(st.text(alphabet="cdk01.5'\"`<>=!()[], andornotin\\-+e\n", max_size=30))
def test_any_text_parses_or_is_a_condition_error(text: str) -> None:
    """No text makes the parser fail in another way."""
    try:
        Condition.parse(text)
    except ConditionError as error:
        message = str(error)
    else:
        return
    assert "at character" in message


@pytest.mark.parametrize("text", [None, 5, True, ["c < 1"], b"c < 1"])
def test_a_condition_must_be_a_text(text: Any) -> None:
    """The message shows what was given instead."""
    with pytest.raises(ConditionError, match="must be a string"):
        Condition.parse(text)


@pytest.mark.parametrize(
    "code",
    [
        "__import__('pathlib').Path('{path}').touch()",
        "open('{path}', 'w')",
        "c < open('{path}', 'w')",
        "exec(\"open('{path}', 'w')\")",
        "c in [open('{path}', 'w')]",
        "'{{open(\\'{path}\\',\\'w\\')}}'",
        "c == 1 or (lambda: open('{path}', 'w'))()",
    ],
)
def test_conditions_never_run_code(code: str, tmp_path: Path) -> None:
    """Calls do not parse, and nothing happens."""
    path = tmp_path / "made"
    with pytest.raises(ConditionError):
        Condition.parse(code.format(path=path))
    assert not path.exists()


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("k < 1", {"k": ["a", 2]}),
        ("k > 'a'", {"k": ["a", 2]}),
        ("c < 'a'", {"c": [1.0, 2.0]}),
        ("k < none", {"k": ["a", "b"]}),
        ("k == c", {"k": ["a", "b"], "c": [1.0, 2.0]}),
    ],
)
def test_comparing_what_cannot_be_compared_is_a_condition_error(
    text: str, columns: dict[str, list[Any]]
) -> None:
    """Texts have no order with numbers, and only numbers compare between parameters."""
    with pytest.raises(ConditionError, match=r"different types|not both numeric"):
        held(text, columns)
