"""The code for Optuna, run by Optuna."""

from __future__ import annotations

from typing import Any

import optuna
import pytest

from condped import Categorical, Float, Int, Space, when
from condped.analyse.advice.code.optuna_code import suggest_code
from condped.space.nodes import Comparison
from condped.space.simplify import condition_of
from condped.space.space import Alternative
from tests.drawing import holds_of

ODD = ["😀 x", 'it\'s "so"', "a\nb\rc", "back\\slash\\n", "\u2028\x85\x00\x7f", "ä", "\ud800"]


def drawn_by_optuna(space: Space, trials: int) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return what the code draws, and what Optuna recorded, trial by trial of one study."""
    code: dict[str, Any] = {}
    exec(suggest_code(space), code)
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    found = []
    for _ in range(trials):
        trial = study.ask()
        found.append((code["suggest"](trial), dict(trial.params)))
        study.tell(trial, 0.0)
    return found


@pytest.mark.parametrize("odd", ODD)
def test_texts_are_what_they_were(odd: str) -> None:
    """As a name, as a choice, as a fixed value and in a condition."""
    is_odd = condition_of(Comparison(odd, "==", odd))
    space = Space(
        {
            odd: Categorical([odd, "other"]),
            "inside": [Alternative(Categorical([odd]), is_odd)],
        },
        inferred=True,
    )
    for drawn, recorded in drawn_by_optuna(space, 20):
        assert recorded[odd] == drawn[odd] in (odd, "other")
        assert ("inside" in drawn) == (drawn[odd] == odd)
        assert drawn.get("inside", odd) == odd
    assert len(suggest_code(space).splitlines()) == len(suggest_code(space).split("\n"))


@pytest.mark.parametrize(
    "domains",
    [
        (Categorical(["x", "y"]), Categorical(["y", "z"])),
        (Categorical([1, 2]), Categorical([True, 2])),
        (Float(0, 1), Int(2, 5)),
        (Float(0.1, 1), Float(0.1, 1, log=True)),
        (Int(1, 4), Categorical(["x", "y"])),
    ],
)
def test_regimes_of_other_kinds_have_names_of_their_own(domains: Any) -> None:
    """Optuna takes a hundred trials of them; the values come under the parameter's name."""
    space = Space(
        {
            "g": Categorical(["A", "B"]),
            "k": [when("g == 'A'", domains[0]), when("g == 'B'", domains[1])],
        }
    )
    found = drawn_by_optuna(space, 100)
    assert all(holds_of(space, drawn) for drawn, _ in found)
    names = {name for _, recorded in found for name in recorded}
    assert names == {"g", "k (g == 'A')", "k (g == 'B')"}
    assert suggest_code(space).count("# own name") == 2


def test_regimes_of_one_kind_share_a_name() -> None:
    """Optuna takes ranges that move."""
    space = Space(
        {
            "g": Categorical(["A", "B"]),
            "k": [when("g == 'A'", Float(0, 1)), when("g == 'B'", Float(5, 6))],
        }
    )
    found = drawn_by_optuna(space, 50)
    assert all(drawn == recorded and holds_of(space, drawn) for drawn, recorded in found)
