"""Domains: what they accept, what they refuse and how they are told apart."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from condped import Categorical, Float, Int
from condped.errors import SpaceError


@pytest.mark.parametrize(
    ("low", "high", "step", "reached"),
    [
        (0, 1, 0.3, 0.9),
        (0, 1, 0.1, 1.0),
        (0.1, 0.95, 0.25, 0.85),
        (-1, 1, 0.7, 0.4),
        (0, 10, 1, 10.0),
        (0, 0.3, 0.1, 0.3),  # 0.3 / 0.1 is 2.999… in floating point
        (5e-324, 1, 0.25, 1.0),  # four steps end a little above 1, which no float tells
    ],
)
def test_a_float_step_lowers_high_to_what_it_reaches(
    low: float, high: float, step: float, reached: float
) -> None:
    """Steps are counted in decimals, as a person counts them."""
    assert Float(low, high, step=step).high == reached
    assert Float(low, reached, step=step).high == reached


@pytest.mark.parametrize(
    ("low", "high", "step", "reached"),
    [(1, 10, 4, 9), (0, 10, 5, 10), (-7, 7, 4, 5), (0, 2**62, 3, 2**62 - 1)],
)
def test_an_int_step_lowers_high_to_what_it_reaches(
    low: int, high: int, step: int, reached: int
) -> None:
    """The arithmetic is exact, beyond 2**53 as well."""
    assert Int(low, high, step=step).high == reached


@pytest.mark.parametrize(
    "make",
    [
        lambda: Float(0, 1),
        lambda: Float(1e-5, 1, log=True),
        lambda: Int(1, 9, step=2),
        lambda: Int(1, 9, log=True),
        lambda: Categorical(["a", None, 3]),
    ],
)
def test_domains_are_frozen_and_equal_domains_are_one_key(make: Callable[[], Any]) -> None:
    """Two domains made alike are equal and hash alike, and neither can be changed."""
    first, second = make(), make()
    assert len({first, second}) == 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(first, dataclasses.fields(first)[0].name, 0)


@pytest.mark.parametrize(
    "other",
    [Float(0, 2), Float(0, 5, step=1), Float(1, 5, log=True), Int(0, 5), Categorical([0, 5])],
)
def test_domains_that_differ_in_anything_are_different(other: Any) -> None:
    """Type, bounds, scale and step all tell domains apart."""
    assert Float(0, 5) != other


def test_numpy_numbers_become_python_numbers() -> None:
    """Bounds from arrays give the same domain as literals."""
    bounds: list[Any] = [np.float32(0.5), np.int64(2), np.int8(1), np.float64(5)]
    assert Float(bounds[0], bounds[1]) == Float(0.5, 2.0)
    assert Int(bounds[2], bounds[3]) == Int(1, 5)
    assert type(Int(bounds[2], bounds[3]).high) is int


@pytest.mark.parametrize(
    ("domain", "single"),
    [
        (Float(2, 2), True),
        (Float(2, 3), False),
        (Float(0, 1, step=2), True),
        (Int(4, 4), True),
        (Int(4, 6, step=3), True),
        (Int(4, 6), False),
        (Categorical(["a"]), True),
        (Categorical(["a", "b"]), False),
    ],
)
def test_a_domain_of_one_value_says_so(domain: Any, single: bool) -> None:
    """A constant has nothing to vary."""
    assert domain.single is single


@pytest.mark.parametrize(
    ("domain", "label"),
    [
        (Float(1e-5, 0.1, log=True), "[1e-05, 0.1] log"),
        (Float(0, 1, step=0.25), "[0, 1] step 0.25"),
        (Float(-7, -2), "[-7, -2]"),
        (Int(1, 9, step=2), "{1..9} step 2"),
        (Int(1, 100, log=True), "{1..100} log"),
        (Categorical(["a", 1, None]), "{a, 1, None}"),
        (Categorical(["abcde", *"fghi"]), "{abcde, f, g, h, … 5 choices}"),
    ],
)
def test_labels_are_short_texts_for_people(domain: Any, label: str) -> None:
    """Bounds in short form, the scale, and a few of the choices."""
    assert domain.label == label


def test_a_label_stays_on_one_line() -> None:
    """A choice with a line break does not break the table that shows it."""
    assert "\n" not in Categorical(["a\nb", "c"]).label


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Float(1, 0), "low must not be above high"),
        (lambda: Int(5, 4), "low must not be above high"),
        (lambda: Float(0, 1, log=True), "low above 0"),
        (lambda: Float(-1, 1, log=True), "low above 0"),
        (lambda: Int(0, 9, log=True), "low above 0"),
        (lambda: Float(float("nan"), 1), "low of a float domain must be finite"),
        (lambda: Float(0, float("inf")), "high of a float domain must be finite"),
        (lambda: Int(0, float("inf")), "finite"),  # type: ignore[arg-type]
        (lambda: Float("0", 1), "low of a float domain must be a number"),  # type: ignore[arg-type]
        (lambda: Float(None, 1), "must be a number"),  # type: ignore[arg-type]
        (lambda: Float(False, 1), "must be a number"),
        (lambda: Float(np.array([1, 2]), 3), "must be a number"),  # type: ignore[arg-type]
        (lambda: Int(0.5, 3), "whole numbers"),  # type: ignore[arg-type]
        (lambda: Int(0, 3, step=1.5), "whole numbers"),  # type: ignore[arg-type]
        (lambda: Float(0, 1, step=0), "step above 0"),
        (lambda: Float(0, 1, step=-0.1), "step above 0"),
        (lambda: Float(0, 1, step=float("nan")), "step of a float domain must be finite"),
        (lambda: Float(1, 2, log=True, step=0.1), "log"),
        (lambda: Int(1, 9, step=0), "step of at least 1"),
        (lambda: Int(1, 9, log=True, step=2), "log"),
        (lambda: Categorical("abc"), "must be a list"),
        (lambda: Categorical([]), "at least one choice"),
        (lambda: Categorical(5), "choices"),  # type: ignore[arg-type]
        (lambda: Float(1, 2, log="false"), "log"),  # type: ignore[arg-type]
        (lambda: Int(1, 2, log="no"), "log"),  # type: ignore[arg-type]
        (lambda: Int(0, 10**400), "high"),
    ],
)
def test_a_domain_that_makes_no_sense_is_refused(make: Callable[[], Any], says: str) -> None:
    """Each refusal is a SpaceError that says what is wrong."""
    with pytest.raises(SpaceError, match=says):
        make()


def test_a_step_far_below_the_bounds_precision_is_no_crash() -> None:
    """Decimal arithmetic runs out of digits here; the domain is made or refused, no more."""
    try:
        domain = Float(0, 1e30, step=0.1)
    except SpaceError:
        return
    assert domain.high == pytest.approx(1e30)


def test_labels_of_choices_tell_values_apart() -> None:
    """A text that reads like another value is quoted, and so is one that reads like several."""
    assert Categorical([None, True, 1, "True"]).label == "{None, True, 1, 'True'}"
    assert Categorical(["1", 1.0, "none", "adam"]).label == "{'1', 1.0, 'none', adam}"
    assert Categorical(["a, b", "a", "b", "a\nb"]).label == "{'a, b', a, b, 'a\\nb'}"
    assert Categorical(["", "nan", "'x'"]).label == "{'', 'nan', \"'x'\"}"
    assert Categorical([(1, 2), "(1, 2)"]).label == "{(1, 2), '(1, 2)'}"
