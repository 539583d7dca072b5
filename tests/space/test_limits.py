"""Spaces and conditions of any size, depth and magnitude: an answer, or an error of ours."""

from __future__ import annotations

from collections.abc import Callable
from cProfile import Profile
from itertools import count
from pstats import Stats
from typing import Any

import numpy as np
import pytest

import condped
from condped import Categorical, Float, Int, Space
from condped.errors import ConditionError, CondpedError, NameNotFoundError, SpaceError, not_found
from condped.space.condition import Condition
from condped.space.grid import cell_edges, grid_of, values_between

HUGE = 10**5000  # more digits than Python writes
X = {"type": "float", "low": 0, "high": 1}


def calls(function: Callable[[], Any]) -> int:
    """Return how many functions a call calls, those of C included."""
    profile = Profile()
    profile.runcall(function)
    return int(Stats(profile).total_calls)  # type: ignore[attr-defined]


@pytest.mark.parametrize("make", [
    lambda: Int(0, HUGE),
    lambda: Int(-HUGE, 5),
    lambda: Int(0, 5, step=HUGE),
    lambda: Float(0, HUGE),
    lambda: Float(0, 1, log=HUGE),  # type: ignore[arg-type]
    lambda: Categorical(HUGE),  # type: ignore[arg-type]
    lambda: Space({"k": Categorical([HUGE, HUGE])}),
    lambda: Space({HUGE: X}),  # type: ignore[dict-item]
    lambda: Space({"x": HUGE}),
    lambda: Space({"x": {"type": HUGE}}),
    lambda: Space({"x": {**X, HUGE: 1}}),
    lambda: Space({"x": {**X, "when": HUGE}}),
])  # fmt: skip
def test_integers_of_any_size_are_told_by_their_digits(make: Callable[[], Any]) -> None:
    """Python raises a ValueError of its own where it writes them."""
    with pytest.raises(SpaceError, match="an integer of 5001 digits"):
        make()


@pytest.mark.parametrize("option", [
    "objective", "direction", "study", "outside", "parameters", "ignore", "order", "reader",
    "engine", "backend", "groups", "failure_values", "where", "budget", "target_quantile",
    "region_quantile", "level", "method",
])  # fmt: skip
def test_options_take_no_integer_of_any_size(option: str) -> None:
    """Each is refused by its own check."""
    trials = {"x": np.linspace(0, 1, 20), "loss": np.arange(20.0)}
    with pytest.raises(CondpedError):
        condped.importance(trials, **{"objective": "loss", option: HUGE})  # type: ignore[arg-type]


def test_zeros_in_front_do_not_count_as_digits() -> None:
    """A number in a condition may have as many as it likes; one beyond all floats is infinite."""
    assert Condition.parse(f"x < {'0' * 5000}7").root == Condition.parse("x < 7").root
    assert Condition.parse(f"x < {HUGE // 10**5000}{'0' * 5000}").root.value == float("inf")  # type: ignore[union-attr]


def endless() -> Any:
    inside: list[Any] = [1]
    inside.append(inside)
    return inside


def nested(levels: int) -> Any:
    inside: Any = 1
    for _ in range(levels):
        inside = [inside]
    return inside


@pytest.mark.parametrize("choices", [endless(), nested(100_000), count()])
def test_choices_have_an_end(choices: Any) -> None:
    """Also those that contain themselves, and those that go on for ever."""
    with pytest.raises(SpaceError, match=r"nested more than|at most 10,000,000 choices"):
        Categorical(choices)


def test_a_space_that_contains_itself_is_refused() -> None:
    """It is looked through for the objects of other tools, once for each part."""
    mapping: dict[str, Any] = {}
    mapping["x"] = mapping
    for space in (mapping, endless()):
        with pytest.raises(CondpedError):
            condped.read({"x": [0.5], "loss": [1]}, objective="loss", space=space)


def membership(choices: int, values: int, text: Callable[[list[str]], str]) -> Callable[[], Any]:
    """Return a function that reads trials under a condition with so many values."""
    names = [f"c{number}" for number in range(choices)]
    condition = text(names[-values:])
    space = {"k": Categorical(names), "y": {**X, "when": condition}}
    column = [0.5 if place >= choices - values else None for place in range(choices)]
    data = {"k": names, "y": column, "loss": [0.0] * choices}
    return lambda: condped.read(data, objective="loss", space=space, where=condition)


@pytest.mark.parametrize("text", [
    lambda names: f"k in [{', '.join(map(repr, names))}]",
    lambda names: " or ".join(f"k == {name!r}" for name in names),
    lambda names: f"not k not in [{', '.join(map(repr, names))}]",
])  # fmt: skip
def test_conditions_cost_as_much_as_they_are_long(text: Callable[[list[str]], str]) -> None:
    """Ten times the values and choices are about ten times the work, not a hundred times."""
    small, large = (calls(membership(size * 4, size, text)) for size in (100, 1000))
    assert large < 20 * small
    table = membership(2000, 500, text)()
    assert len(table) == 500


def test_values_are_found_among_numbers_as_one_by_one() -> None:
    """Many values are looked up in a set, with the same result as comparing with each."""
    values = np.random.default_rng(0).integers(0, 60, 500)
    table = {"n": values, "loss": np.arange(500.0)}
    named = [1, 2.0, 7.5, -3, 2**70, *range(20, 40)]
    found = condped.read(table, objective="loss", where=f"n in {named}")
    assert len(found) == sum(value in named for value in values.tolist())
    other = condped.read(table, objective="loss", where=f"n not in {named}")
    assert len(found) + len(other) == 500


def test_hints_are_looked_for_among_few_names() -> None:
    """However many there are, those that begin and end alike are compared."""

    def look(size: int) -> None:
        names = [f"parameter_number_{number:05}_of_many" for number in range(size)]
        error = not_found("parameter", "parameter_nmber_00099_of_many", names)
        assert "Did you mean 'parameter_number_00099_of_many'?" in str(error)

    assert calls(lambda: look(5000)) < 20 * calls(lambda: look(500))


def test_messages_stay_short() -> None:
    """Names, values and conditions in them may have millions of letters."""
    long = "x" * 2_000_000
    many = Categorical([f"choice {number}" for number in range(100_000)])
    for make in (
        lambda: condped.read({"x": [1, 2], "loss": [1, 2]}, objective=long),
        lambda: condped.read({long: [1, 2], "loss": [1, 2]}, objective="lss"),
        lambda: condped.read({"x": [long], "loss": [1]}, objective="loss",
                             space={"x": Categorical(["a", "b"])}),
        lambda: Space({"x": X, "y": {**X, "when": f"{long} < 3"}}),
        lambda: Space({"x": X, "y": {**X, "when": "x < 1 and " * 10_000 + "x <"}}),
        lambda: Space({"k": many, "y": {**X, "when": "k == 'q'"}}),
        lambda: Categorical(long),
        lambda: Space({long: {"type": "float"}}),
    ):  # fmt: skip
        with pytest.raises(CondpedError) as caught:
            make()
        assert len(str(caught.value)) <= 2000
    with pytest.raises(NameNotFoundError, match="characters, shortened"):
        raise NameNotFoundError(f"What is wrong: {long}")
    error = ConditionError(f"Begin {long} end")
    assert str(error).startswith("Begin x")
    assert str(error).endswith("x end")


@pytest.mark.parametrize("domain", [
    Float(-1e308, 1e308),
    Float(-1.7e308, 1.7e308, step=1e300),
    Float(-1.7e308, 1.7e308, step=1.0),
    Float(-1.7e308, 1.7e308, step=5e-324),
    Float(0, 1.7e308, step=1e-10),
    Float(5e-324, 1.7e308, log=True),
    Int(0, 2**63),
    Int(-(2**70), 2**70, step=3),
    Int(1, 10**300, log=True),
    Int(-(10**308), 10**308, step=7),
    Int(-(10**308), 10**308),
], ids=lambda domain: f"{type(domain).__name__} to {float(domain.high)}")  # fmt: skip
def test_domains_of_any_width_are_analysed(domain: Float | Int, tmp_path: Any) -> None:
    """Where the difference of the bounds, or the number of steps, is beyond all floats."""
    assert 1 <= grid_of(domain).cells <= 50
    with np.errstate(over="ignore", invalid="ignore"):
        assert len(cell_edges(domain)) == grid_of(domain).cells + 1
    whole = [domain.low, domain.high, domain.low] * 20
    losses = np.random.default_rng(0).random(60)
    with np.errstate(all="ignore"):
        table = condped.read({"x": whole, "loss": losses}, objective="loss", space={"x": domain})
        for analyse in (condped.importance, condped.branches, condped.effects, condped.advise):
            result = analyse(table)
            assert str(result)
            result.save(tmp_path / "result.json")
            assert str(condped.load(tmp_path / "result.json"))


@pytest.mark.parametrize(
    "domain", [Int(0, 1000, step=7), Float(0, 1, step=0.01), Int(1, 900, log=True)]
)
def test_values_between_cells_are_those_of_a_search_through_all(domain: Float | Int) -> None:
    """The first and last value whose cells lie in the range, found one by one."""
    step = domain.step or 1
    every = [
        domain.low + place * step for place in range(round((domain.high - domain.low) / step) + 1)
    ]
    edges = cell_edges(domain)
    for first, last in ((0, 3), (2, 2), (5, 9), (5, grid_of(domain).cells - 1)):
        inside = [v for v in every if (first == 0 or v > edges[first]) and v <= edges[last + 1]]
        found = values_between(domain, first, last)
        if not inside:
            assert found is None
        else:
            assert found is not None
            assert np.allclose(found, (inside[0], inside[-1]))
