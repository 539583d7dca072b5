"""Narrowed spaces: the same configurations as before, as far as they are still allowed."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from condped import Categorical, Float, Int, Space, when
from condped.analyse.advice.code.optuna_code import suggest_code
from condped.analyse.advice.narrow import in_order, narrowed
from condped.space.domain import Domain
from condped.space.space import Alternative
from tests.drawing import draw, fits, holds_of

MODEL, LAYERS, RATE = Categorical(["svm", "net", "tree"]), Int(1, 6), Float(0, 1)
SPACE = Space(
    {
        "model": MODEL,
        "c": [when("model == 'svm'", RATE)],
        "layers": [when("model == 'net'", LAYERS)],
        "rate": [
            when("model == 'net' and layers < 4", Float(0, 1)),
            when("layers >= 4 and model == 'net'", Float(1, 2)),
        ],
        "shared": [when("model in ['svm', 'tree']", Float(5, 6))],
        "other": [when("model != 'svm'", Float(7, 8))],
        "odd": [when("not (model == 'net') and c < 0.5", Float(9, 10))],
        "either": [when("layers == 6 or model == 'tree'", Categorical([None, True, "x y"]))],
        "`tick": [when("either != none", Int(0, 9, step=3))],
    }
)
CASES: list[dict[tuple[str, Domain], Domain]] = [
    {},
    {("model", MODEL): Categorical(["net"])},
    {("model", MODEL): Categorical(["svm", "net"])},
    {("model", MODEL): Categorical(["net", "tree"]), ("layers", LAYERS): Int(4, 6)},
    {("model", MODEL): Categorical(["svm"]), ("c", RATE): Float(0.6, 1)},
    {("layers", LAYERS): Categorical([2])},
]


def test_narrowed_spaces_draw_what_the_old_one_allows() -> None:
    """And all that it allows inside the new domains: no way is lost, none is added."""
    for case in CASES:
        space, possible = narrowed(SPACE, case)
        rng = np.random.default_rng(0)
        old = [draw(SPACE, rng) for _ in range(2000)]
        staying = [one for one in old if _stays(one, case)]
        new = [draw(space, rng) for _ in range(500)]
        assert all(holds_of(SPACE, one) and _stays(one, case) for one in new)
        assert all(holds_of(space, one) for one in staying)
        assert {frozenset(one) for one in new} >= {frozenset(one) for one in staying[:300]}
        assert set(space) == {name for one in staying for name in one}
        assert {name for name, _ in possible} == set(space)
        # What is written down is read again as the same space.
        assert Space(space.to_dict()) == space


def _stays(drawn: dict[str, Any], case: dict[tuple[str, Domain], Domain]) -> bool:
    return all(fits(domain, drawn[name]) for (name, _), domain in case.items() if name in drawn)


def test_conditions_lose_what_is_settled() -> None:
    """A gate that is fixed leaves no condition behind."""
    space, _ = narrowed(SPACE, CASES[1])
    assert space["layers"][0].when is None
    assert [entry.when.text for entry in space["rate"] if entry.when] == [
        "layers < 4",
        "layers >= 4",
    ]
    assert "c" not in space


def test_code_draws_from_the_space() -> None:
    """The same names under the same conditions, and values inside their domains."""

    class Trial:
        """Draws as Optuna does, without it."""

        def __init__(self, rng: np.random.Generator) -> None:
            self.rng = rng

        def suggest_float(self, name: str, low: float, high: float, **_: Any) -> float:
            return float(self.rng.uniform(low, high))

        def suggest_int(self, name: str, low: int, high: int, step: int = 1) -> int:
            return int(self.rng.choice(np.arange(low, high + 1, step)))

        def suggest_categorical(self, name: str, choices: list[Any]) -> Any:
            return choices[self.rng.integers(len(choices))]

    for case in CASES:
        space, _ = narrowed(SPACE, case)
        code: dict[str, Any] = {}
        exec(suggest_code(space), code)
        rng = np.random.default_rng(0)
        drawn = [code["suggest"](Trial(rng)) for _ in range(500)]
        assert all(holds_of(space, one) for one in drawn)
        assert {frozenset(one) for one in drawn} >= {
            frozenset(draw(space, rng)) for _ in range(100)
        }


def test_long_chains_of_conditions_have_an_order() -> None:
    """Also if each parameter is listed before its gate, and in a circle, which nothing breaks."""
    names = [f"p{level}" for level in range(5000)]
    conditional = {
        name: (when(f"{gate} == 1", Categorical([0, 1])),) for gate, name in pairwise(names)
    }
    listed = dict(reversed(conditional.items())) | {"p0": (Alternative(Categorical([0, 1])),)}
    assert in_order(listed) == names
    circle = {"a": conditional["p2"], "p1": (when("a == 1", RATE),)}
    assert sorted(in_order(circle)) == ["a", "p1"]
