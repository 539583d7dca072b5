"""Bounds that the best trials press against, and where advice keeps silent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import condped
from condped import Float, Int
from condped.analyse.advice.propose import RegimeTrials, propose
from condped.analyse.advice.widen import Side, wider
from condped.errors import SettingsError
from condped.space.domain import Numeric


def bowl(optimum: float, trials: int = 200, seed: int = 0, **more: Any) -> dict[str, Any]:
    """Return a table of random trials around an optimum of x."""
    rng = np.random.default_rng(seed)
    x, y, z = rng.uniform(0.5, 1.5, (3, trials))
    return {"x": x, "y": y, "z": z, **more, "loss": (x - optimum) ** 2 + (y - 0.9) ** 2}


SPACE = {name: {"type": "float", "low": 0.5, "high": 1.5} for name in "xyz"}


def advised(table: dict[str, Any], **options: Any) -> condped.Advice:
    """Return advice on a table of three parameters, drawn at random."""
    return condped.advise(table, objective="loss", space=SPACE, **{"sampling": "random", **options})


def test_a_bound_with_the_optimum_beyond_is_to_be_widened() -> None:
    """On the side where it lies, by half of the domain; the new space keeps the bound."""
    advice = advised(bowl(1.8))
    (step,) = advice.widenings
    assert (step.parameter, step.kind, step.domain) == ("x", "widen", Float(0.5, 1.5))
    assert step.proposal == Float(0.5, 2.0)
    assert step.covered == pytest.approx(1.5)
    narrow = next(own for own in advice.changes if own.parameter == "x")
    assert isinstance(narrow.proposal, Float)
    assert narrow.proposal.low > 0.5
    assert narrow.proposal.high == 1.5
    assert advice.space["x"][0].domain == narrow.proposal
    assert advice.widened_space["x"][0].domain == Float(narrow.proposal.low, 2.0)
    assert advice.widened_space["y"] == advice.space["y"]
    assert "2.0" not in advice.optuna_code()
    assert '"x", ' in advice.optuna_code(widened=True)
    assert ", 2.0)" in advice.optuna_code(widened=True)


def test_the_lower_bound_is_the_mirror_image() -> None:
    """The same trials from the other side give the same step."""
    table = bowl(1.8)
    mirrored = {**table, "x": 2.0 - table["x"]}
    (high,), (low,) = advised(table).widenings, advised(mirrored).widenings
    assert low.proposal == Float(0.0, 1.5)
    assert (low.kept, low.of, low.reason.split("next to")[0]) == (
        high.kept,
        high.of,
        high.reason.split("next to")[0],
    )


@pytest.mark.parametrize("optimum", [0.6, 1.0, 1.4])
def test_an_optimum_inside_widens_nothing(optimum: float) -> None:
    """In the middle, and at a tenth of the domain from a bound."""
    found = [advised(bowl(optimum, seed=seed)).widenings for seed in range(10)]
    assert not any(found)


def test_noise_and_plateaus_widen_nothing() -> None:
    """Where nothing matters, and where everything from some value on is as good."""
    for seed in range(10):
        rng = np.random.default_rng(seed + 100)
        table = bowl(1.0, seed=seed)
        assert not advised({**table, "loss": rng.random(200)}).widenings
        flat = np.maximum(0.0, 1.1 - table["x"]) + (table["y"] - 0.9) ** 2
        assert not advised({**table, "loss": flat}).widenings


def test_few_levels_are_like_choices() -> None:
    """Beyond the last of four there is no trend to follow; of ten there is."""
    rng = np.random.default_rng(0)
    for most, widened in ((4, False), (10, True)):
        n = rng.integers(1, most + 1, 200)
        table = {"n": n, "y": rng.random(200), "loss": -n / most + rng.random(200) / 5}
        space = {
            "n": {"type": "int", "low": 1, "high": most},
            "y": {"type": "float", "low": 0, "high": 1},
        }
        advice = condped.advise(table, objective="loss", space=space)
        assert [step.parameter for step in advice.widenings] == ["n"] * widened


def test_a_pressed_bound_is_never_narrowed_onto() -> None:
    """Even where the target trials alone would cut it off."""
    rng = np.random.default_rng(0)
    values = rng.random(300)
    trials = RegimeTrials(values, (values > 0.7) & (values < 0.85), np.zeros(300, dtype=np.int64))
    free = propose(Float(0, 1), trials, tests=2)
    kept = propose(Float(0, 1), trials, tests=2, keep="high")
    assert free is not None
    assert isinstance(free.domain, Float)
    assert free.domain.high < 1
    assert kept is not None
    assert kept.domain == Float(free.domain.low, 1.0)


NUMBERS = st.integers(-1000, 1000)


@given(NUMBERS, st.integers(1, 2000), st.integers(1, 7), st.sampled_from(["low", "high"]))
def test_a_wider_domain_has_the_old_one_inside(low: int, more: int, step: int, side: Side) -> None:
    """On the same steps and scale, further on one side only, and not below 0 from above it."""
    domains: list[Numeric] = [Float(low, low + more), Int(low, low + more, step=step)]
    if low > 0:
        domains += [Float(low, low + more, log=True), Int(low, low + more, log=True)]
    for domain in domains:
        wide = wider(domain, side)
        assert wide.low <= domain.low < domain.high <= wide.high or domain.single
        assert (wide.low == domain.low) if side == "high" else (wide.high == domain.high)
        assert (wide.log, wide.step, type(wide)) == (domain.log, domain.step, type(domain))
        assert domain.low <= 0 or wide.low >= 0
        if domain.step is not None:
            assert (wide.low - domain.low) % domain.step == 0


def test_few_trials_of_a_learning_sampler_narrow_nothing() -> None:
    """Below a hundred; widening is said all the same."""
    few, enough = bowl(1.8, trials=99), bowl(1.8, trials=100)
    advice = advised(few, sampling="ordered")
    assert advice.changes == ()
    far = advised(bowl(2.5, trials=99), sampling="ordered")
    assert [step.parameter for step in far.widenings] == ["x"]
    reasons = {step.parameter: step.reason for step in advice.steps}
    assert "fewer than 100 trials" in reasons["y"]
    assert advised(few, sampling="random").changes
    assert not any(
        "fewer than 100" in step.reason for step in advised(enough, sampling="ordered").steps
    )


def test_explore_is_a_share_and_is_saved(tmp_path: Path) -> None:
    """With the steps, in the data and in the text."""
    advice = advised(bowl(1.8), explore=0.3)
    assert advice.explore == 0.3
    assert advice.to_data()["explore"] == 0.3
    assert "draw 30 % of the new trials from the old space" in " ".join(str(advice).split())
    assert advised(bowl(1.8)).explore == 0.2
    advice.save(tmp_path / "advice.json")
    loaded = condped.load(tmp_path / "advice.json")
    assert isinstance(loaded, condped.Advice)
    assert loaded == advice
    assert loaded.widened_space.to_dict() == advice.widened_space.to_dict()
    for wrong in (-0.1, 1, 1.5, "much", True, float("nan")):
        with pytest.raises(SettingsError, match="explore must be"):
            advised(bowl(1.8), explore=wrong)


def test_the_text_shows_what_to_widen() -> None:
    """With the reason, and that only the user knows whether it makes sense."""
    text = " ".join(str(advised(bowl(1.8))).split())
    assert "widen x: [0.5, 1.5] → [0.5, 2]" in text
    assert "next to 1.5, and the objective still improves there" in text
    assert "Only you know whether values above 1.5 make sense" in text
