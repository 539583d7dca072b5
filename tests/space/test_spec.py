"""Search spaces written down: as plain data, as objects, as a JSON file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from condped import Categorical, Float, Int, Space, when
from condped.errors import ConditionError, CondpedError, SourceError, SpaceError
from condped.read.load_space import load_space

PLAIN: dict[str, Any] = {
    "model": {"type": "categorical", "choices": ["svm", "net", None, True, 3]},
    "C": {"when": "model == 'svm'", "type": "float", "low": 0.001, "high": 1000.0, "log": True},
    "width": {"type": "int", "low": 1, "high": 1024, "log": True},
    "dropout": {"type": "float", "low": 0.0, "high": 0.5, "step": 0.1},
    "depth": {"type": "int", "low": 2, "high": 10, "step": 2},
    "lr": [
        {"when": "width < 32", "type": "float", "low": 0.1, "high": 1.0},
        {"when": "width >= 32", "type": "float", "low": 0.01, "high": 0.1},
    ],
}


def objects() -> Space:
    """Return the same space, made from domains."""
    return Space(
        {
            "model": Categorical(["svm", "net", None, True, 3]),
            "C": when("model == 'svm'", Float(1e-3, 1e3, log=True)),
            "width": Int(1, 1024, log=True),
            "dropout": Float(0, 0.5, step=0.1),
            "depth": (Int(2, 10, step=2),),
            "lr": [when("width < 32", Float(0.1, 1)), when("width >= 32", Float(0.01, 0.1))],
        }
    )


def test_plain_data_objects_and_a_file_give_the_same_space(tmp_path: Path) -> None:
    """Three ways to write a space down, one space."""
    path = tmp_path / "space.json"
    path.write_text(json.dumps(PLAIN), encoding="utf-8")
    assert Space(PLAIN) == objects() == load_space(path) == load_space(str(path))
    assert load_space(PLAIN) == objects()
    assert load_space(objects()) == objects()


def test_a_space_is_a_mapping_in_the_given_order() -> None:
    """Names in order, alternatives as tuples."""
    space = objects()
    assert list(space) == list(PLAIN)
    assert len(space) == 6
    assert [alternative.domain for alternative in space["lr"]] == [Float(0.1, 1), Float(0.01, 0.1)]
    assert [alternative.when and alternative.when.text for alternative in space["lr"]] == [
        "width < 32",
        "width >= 32",
    ]
    assert space["width"][0].when is None


def test_to_dict_gives_back_the_plain_data() -> None:
    """What the file held comes out again, through JSON too."""
    assert objects().to_dict() == PLAIN
    assert Space(json.loads(json.dumps(objects().to_dict()))) == objects()


_BOUNDS = st.tuples(st.integers(-1000, 1000), st.integers(1, 1000))
_DOMAINS = st.one_of(
    _BOUNDS.map(lambda b: Float(b[0] / 8, (b[0] + b[1]) / 8)),
    _BOUNDS.map(lambda b: Float(b[0] / 8, (b[0] + 3 * b[1]) / 8, step=b[1] / 8)),
    _BOUNDS.map(lambda b: Int(b[0], b[0] + b[1])),
    _BOUNDS.map(lambda b: Int(b[0], b[0] + 3 * b[1], step=b[1])),
    st.integers(1, 1000).map(lambda high: Float(1e-6, high, log=True)),
    st.integers(2, 1000).map(lambda high: Int(1, high, log=True)),
    st.lists(
        st.one_of(st.text(max_size=5), st.integers(5, 99), st.booleans(), st.none()),
        min_size=1,
        unique=True,
    ).map(Categorical),
)


@given(st.dictionaries(st.text(min_size=1, max_size=8), _DOMAINS, min_size=1, max_size=5))
def test_any_space_survives_json(domains: dict[str, Any]) -> None:
    """Any names, any domains: to_dict, JSON, Space is the identity."""
    space = Space(domains)
    assert Space(json.loads(json.dumps(space.to_dict()))) == space


def test_null_entries_count_as_not_given() -> None:
    """Writers of JSON often put null for what is not set."""
    plain = {"type": "float", "low": 0, "high": 1, "log": None, "step": None, "when": None}
    assert Space({"x": plain}) == Space({"x": Float(0, 1)})


def test_a_condition_may_name_parameters_that_come_later() -> None:
    """The order of a space is for people; conditions see all of it."""
    space = Space({"x": when("k == 'a'", Float(0, 1)), "k": Categorical(["a", "b"])})
    assert list(space) == ["x", "k"]


X = {"type": "float", "low": 0, "high": 1}
C = {"c": {"type": "float", "low": 0, "high": 1}}
K = {"k": {"type": "categorical", "choices": ["a", "b", 3]}}


@pytest.mark.parametrize(
    ("plain", "says"),
    [
        ({"x": {**X, "low": 2}}, "'x'.*low must not be above high"),
        ({"x": {**X, "low": 1}}, "'x'.*low must be below high"),
        ({"x": {**X, "type": "int", "low": 1}}, "'x'.*low must be below high"),
        ({"x": {**X, "log": True}}, "'x'.*low above 0"),
        ({"x": {**X, "low": -1, "log": True}}, "'x'.*low above 0"),
        ({"x": {**X, "low": 0.5, "log": "false"}}, "'x'.*log"),
        ({"x": {**X, "low": "0"}}, "'x'.*low.*must be a number"),
        ({"x": {**X, "low": float("nan")}}, "'x'.*low.*finite"),
        ({"x": {**X, "low": None}}, "'x' lacks 'low'"),
        ({"x": {"type": "float", "low": 0}}, "'x' lacks 'high'"),
        ({"x": {**X, "step": 5}}, "'x'.*step"),
        ({"x": {**X, "step": -1}}, "'x'.*step"),
        ({"x": {**X, "type": "int", "high": 2.5}}, "'x'.*whole numbers"),
        ({"x": {**X, "type": "double"}}, "type of 'x'.*float, int, categorical.*'double'"),
        ({"x": {**X, "type": ["float"]}}, "type of 'x'.*float, int, categorical"),
        ({"x": {"low": 0, "high": 1}}, "type of 'x'.*float, int, categorical.*None"),
        ({"x": {**X, "hihg": 2}}, "'x' has an unknown entry 'hihg'"),
        ({"x": {**X, "choices": ["a"]}}, "'x' has an unknown entry 'choices'"),
        ({"x": {"type": "categorical"}}, "'x' lacks 'choices'"),
        ({"x": {"type": "categorical", "choices": []}}, "'x'.*at least one choice"),
        ({"x": {"type": "categorical", "choices": "ab"}}, "'x'.*choices must be a list"),
        ({"x": {"type": "categorical", "choices": 5}}, "'x'.*choices"),
        ({"x": {"type": "categorical", "choices": {"a": 1}}}, "'x'.*choices"),
        ({"x": {"type": "categorical", "choices": ["a", "a"]}}, "'x'.*'a'.*twice"),
        ({"x": []}, "'x' has an empty list"),
        ({"x": 5}, "'x' must be a mapping"),
        ({"x": None}, "'x' must be a mapping"),
        ({"x": "float"}, "'x' must be a mapping"),
        ({"x": [0, 1]}, "'x' must be a mapping"),
        ({"x": Float}, "'x' must be a mapping"),
        ({"x": [X, {**X, "low": 0.5}]}, "'x' has 2 domains.*'when'"),
        ({**C, "x": [{**X, "when": "c < 0.5"}, X]}, "'x' has 2 domains.*'when'"),
        ({"": X}, "non-empty texts"),
        ({1: X}, "non-empty texts.*1"),
        ([X], "must map parameter names.*list"),
        (None, "must map parameter names.*NoneType"),
    ],
)
def test_a_bad_space_is_refused_by_name(plain: Any, says: str) -> None:
    """Each refusal is a SpaceError that names the parameter and says what is wrong."""
    with pytest.raises(SpaceError, match=says) as caught:
        Space(plain)
    assert not isinstance(caught.value, ConditionError)


@pytest.mark.parametrize(
    ("others", "condition", "says"),
    [
        (C, "c <", "'x'.*at character 3"),
        (C, "", "'x'.*at character 0"),
        (C, 5, "'x'.*must be a string"),
        (C, "d < 1", "'x' names 'd'.*'c'"),
        ({"count": C["c"]}, "cuont < 1", "'x' names 'cuont'.*Did you mean 'count'"),
        (C, "c < d", "'x' names 'd'"),
        (C, "x < 0.5", "'x' depends on 'x' itself"),
        (C, "c < x", "'x' depends on 'x' itself"),
        (C, "not (c < 0.5 and x < 1)", "'x' depends on 'x' itself"),
        (C, "c == 'a'", "'x' compares 'c' with 'a'.*a number"),
        (C, "c == true", "'x' compares 'c' with True.*a number"),
        (C, "c == none", "'x' compares 'c' with None.*a number"),
        (K, "k == 'z'", "'x' compares 'k' with 'z'.*'a', 'b', 3"),
        (K, "k != 'A'", "'x' compares 'k' with 'A'.*'a', 'b', 3"),
        (K, "k in ['a', 'z']", "'x' compares 'k' with 'z'"),
        (K, "k not in ['z']", "'x' compares 'k' with 'z'"),
        (K, "k == '3'", "'x' compares 'k' with '3'"),
        (K, "k == 4", "'x' compares 'k' with 4"),
    ],
)
def test_a_bad_condition_is_refused_by_name(others: Any, condition: Any, says: str) -> None:
    """What a condition names must be there, or it would silently never hold."""
    with pytest.raises(ConditionError, match=says):
        Space({**others, "x": {**X, "when": condition}})


@pytest.mark.parametrize("condition", ["k == 'a'", "k in ['b', 3]", "k == 3", "k == 3.0"])
def test_conditions_on_known_choices_are_accepted(condition: str) -> None:
    """A choice is known by its value."""
    assert Space({**K, "x": {**X, "when": condition}})["x"][0].when is not None


def test_comparing_a_text_with_a_number_parameter_is_refused_with_its_owner() -> None:
    """Found when the space is made, not when the first data come."""
    with pytest.raises(ConditionError, match="'x'"):
        Space({**C, **K, "x": {**X, "when": "k < c"}})


@pytest.mark.parametrize("domain", [{"type": "float", "low": 0, "high": 1}, 5, None, "float"])
def test_when_takes_a_domain_and_nothing_else(domain: Any) -> None:
    """Plain data is no domain: it would pass here and fail later."""
    with pytest.raises(SpaceError):
        Space({**C, "x": [when("c < 0.5", domain)]})


def write(path: Path, content: str | bytes) -> Path:
    """Write a space file."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{", "space.json.*not valid JSON.*line 1"),
        ('{"x":\n {"type": "float" "low": 0}}', "space.json.*not valid JSON.*line 2"),
        ("", "space.json.*not valid JSON"),
        ("[]", "must map parameter names"),
        ("null", "must map parameter names"),
        ("{}", "no parameters"),
        ('{"x": {"type": "int", "low": 0, "high": 1}, "x": 5}', "'x' twice"),
        ('{"x": {"type": "int", "low": 0, "low": 1, "high": 2}}', "'low' twice"),
        ('{"x": {"type": "float", "low": NaN, "high": 1}}', "'x'.*finite"),
        ('{"x": {"type": "float", "low": 0, "high": 1e999}}', "'x'.*finite"),
        pytest.param('{"größe": 1}'.encode("latin-1"), "space.json.*UTF-8", id="latin-1"),
        pytest.param("[" * 100_000, "space.json", id="nested without end"),
    ],
)
def test_a_bad_space_file_is_refused(content: str | bytes, says: str, tmp_path: Path) -> None:
    """Each refusal is a SpaceError that tells where."""
    with pytest.raises(SpaceError, match=says):
        load_space(write(tmp_path / "space.json", content))


def test_a_space_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    """Windows editors write one, and CSV files may have it too."""
    path = write(tmp_path / "space.json", b"\xef\xbb\xbf" + json.dumps(PLAIN).encode())
    assert load_space(path) == objects()


def test_a_space_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    """A missing file and a folder are SpaceErrors with the path."""
    for path in (tmp_path / "none.json", tmp_path):
        with pytest.raises(SpaceError, match=f"{path.name}' cannot be read"):
            load_space(path)


@pytest.mark.parametrize("source", [5, ["x"], object(), b"space.json"])
def test_a_space_of_another_type_is_refused(source: Any) -> None:
    """The message says what a space can be."""
    with pytest.raises(SourceError, match="a Space, a mapping, the path"):
        load_space(source)


def test_every_refusal_is_also_the_builtin_that_fits() -> None:
    """Callers who know nothing of condped catch ValueError."""
    with pytest.raises(ValueError, match="low must not be above high") as caught:
        Float(1, 0)
    assert isinstance(caught.value, CondpedError)


@pytest.mark.parametrize(
    "domain",
    [
        Float(1, 1),
        Int(4, 4),
        Float(0, 1, step=2),
        Categorical(["a", "b", "a"]),
        Categorical(["a", float("nan")]),
    ],
    ids=repr,
)
def test_objects_are_checked_like_plain_data(domain: Any) -> None:
    """A space of Python objects can hold the same mistakes."""
    with pytest.raises(SpaceError, match="'p'"):
        Space({"p": domain})
    with pytest.raises(SpaceError, match="'p'"):
        Space({"c": Float(0, 1), "p": [when("c < 0.5", domain)]})
