"""Densities count what is there, and good values are good."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import condped
from condped.analyse.values import RegimeDensity
from condped.errors import NameNotFoundError
from condped.estimate.settings import Method
from tests.oracle import slow

TRIALS = 600
SPACE: dict[str, Any] = {
    "rate": {"type": "float", "low": 1e-5, "high": 1.0, "log": True},
    "momentum": {"type": "float", "low": 0.0, "high": 1.0},
    "layers": {"type": "int", "low": 1, "high": 8},
    "units": {"type": "int", "low": 4, "high": 512, "log": True},
    "batch": {"type": "int", "low": 16, "high": 256, "step": 16},
    "drop": {"type": "float", "low": 0.0, "high": 0.5, "step": 0.05},
    "optimiser": {"type": "categorical", "choices": ["adam", "sgd", None, 3, True]},
    "seed": {"type": "int", "low": 0, "high": 10_000},
}


def trials(seed: int = 0) -> dict[str, Any]:
    """Return random trials; the loss depends on one parameter of each kind in turn."""
    rng = np.random.default_rng(seed)
    choices = SPACE["optimiser"]["choices"]
    return {
        "rate": np.exp(rng.uniform(math.log(1e-5), 0, TRIALS)),
        "momentum": rng.random(TRIALS),
        "layers": rng.integers(1, 9, TRIALS),
        "units": np.exp(rng.uniform(math.log(4), math.log(512), TRIALS)).astype(int),
        "batch": 16 * rng.integers(1, 17, TRIALS),
        "drop": np.round(0.05 * rng.integers(0, 11, TRIALS), 2),
        "optimiser": [choices[place] for place in rng.integers(0, 5, TRIALS)],
        "seed": rng.integers(0, 10_001, TRIALS),
    }


LOSSES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "rate": lambda t: (np.log10(t["rate"]) + 2) ** 2,
    "momentum": lambda t: np.abs(t["momentum"] - 0.9),
    "layers": lambda t: np.abs(t["layers"] - 6.0),
    "units": lambda t: (np.log(t["units"]) - math.log(64)) ** 2,
    "batch": lambda t: t["batch"] / 256,
    "drop": lambda t: np.abs(np.asarray(t["drop"]) - 0.2),
    "optimiser": lambda t: np.array([{"sgd": 0.0, 3: 0.1}.get(o, 2.0) for o in t["optimiser"]]),
}
BEST = {"rate": 0.01, "momentum": 0.9, "layers": 6, "units": 64, "batch": 16, "drop": 0.2}


def losses(table: dict[str, Any], name: str) -> np.ndarray:
    """Return the losses that depend on one parameter, with some noise."""
    noise = np.random.default_rng(7).normal(0, 0.05, TRIALS)
    return np.asarray(LOSSES[name](table) + noise)


@pytest.mark.parametrize("method", ["paper", "calibrated"])
@pytest.mark.parametrize("name", LOSSES)
def test_good_values_hold_as_many_trials_as_the_table(name: str, method: Method) -> None:
    """Counted once more in the raw values, closed ranges in the domain's own units."""
    table = trials()
    loss = losses(table, name)
    source = {**table, "loss": loss}
    # None is a choice here: it must not be taken for an absence.
    result = condped.importance(source, objective="loss", space=SPACE, method=method)
    best = loss <= np.sort(loss)[math.ceil(0.1 * TRIALS) - 1]
    (density,) = result.densities[name]
    assert density.good
    for good in density.good:
        if good.choices is None:
            assert good.low is not None
            assert good.high is not None
            inside = (np.asarray(table[name]) >= good.low) & (np.asarray(table[name]) <= good.high)
        else:
            chosen = [(type(choice), choice) for choice in good.choices]
            inside = np.array([(type(value), value) in chosen for value in table[name]])
        assert good.target_trials == np.count_nonzero(inside & best)
        assert good.region_trials == np.count_nonzero(inside)
        assert good.kept == pytest.approx(np.count_nonzero(inside & best) / best.sum())
        assert good.covered == pytest.approx(inside.mean())
        assert good.lift == pytest.approx(good.kept / good.covered)
        assert good.lift > 1
    assert sum(good.kept for good in density.good) > 0.7


@pytest.mark.parametrize("name", BEST)
def test_the_optimum_is_good(name: str) -> None:
    """The value that the loss prefers lies in a good range, and most others do not."""
    table = trials()
    result = condped.importance(
        {**table, "loss": losses(table, name)}, objective="loss", space=SPACE
    )
    (density,) = result.densities[name]
    assert any((good.low or 0) <= BEST[name] <= (good.high or 0) for good in density.good)
    assert sum(good.covered for good in density.good) < 0.6


def test_good_choices_are_the_choices_themselves() -> None:
    """Of their own types, in the domain's order, with a label that people read."""
    table = trials()
    source = {**table, "loss": losses(table, "optimiser")}
    result = condped.importance(source, objective="loss", space=SPACE)
    (density,) = result.densities["optimiser"]
    (good,) = density.good
    assert good.choices is not None
    assert "sgd" in good.choices
    assert good.low is None
    assert density.choices == ("adam", "sgd", "None", "3", "True")
    assert good.label in ("sgd", "sgd or 3")


def test_values_of_ints_stay_on_their_steps() -> None:
    """A range of ints ends on ints that the domain has."""
    table = trials()
    for name in ("layers", "batch", "units"):
        source = {**table, "loss": losses(table, name)}
        result = condped.importance(source, objective="loss", space=SPACE)
        for good in result.densities[name][0].good:
            assert isinstance(good.low, int)
            assert isinstance(good.high, int)
            if name == "batch":
                assert good.low % 16 == good.high % 16 == 0


def test_nothing_is_good_in_noise() -> None:
    """Without a verdict there are no good values, and in noise there is hardly ever a verdict."""
    found = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        columns = {f"p{i}": rng.random(120) for i in range(5)}
        columns["k"] = rng.integers(0, 4, 120).astype(float)
        trials = {**columns, "loss": rng.random(120)}
        result = condped.importance(trials, objective="loss", sampling="random")
        for name, densities in result.densities.items():
            good = [entry for density in densities for entry in density.good]
            if result.evidence[name].verdict != "matters":
                assert not good
            found += bool(good)
    # One in ten studies may have a false discovery; twice that would be too many.
    assert found <= 8


def regimes(result: condped.ImportanceResult) -> list[tuple[str, RegimeDensity]]:
    """Return all densities of a result."""
    return [(name, one) for name, densities in result.densities.items() for one in densities]


@pytest.mark.parametrize("name", ["nested", "three-way", "regime-dependent"])
def test_each_present_regime_has_its_density(name: str) -> None:
    """In the order of the regimes, with their trials and masses as the slow oracle has them."""
    result = condped.importance(condped.problems.get(name).sample(400, seed=1))
    for parameter in result:
        present = [regime for regime in parameter.regimes if regime.domain is not None]
        densities = result.densities[parameter.name]
        assert [density.domain for density in densities] == [regime.domain for regime in present]
        for density, regime in zip(densities, present, strict=True):
            assert density.target.sum() == regime.target_trials
            assert density.region.sum() == regime.region_trials
            assert density.target_mass.sum() == pytest.approx(1)
            assert density.region_mass.sum() == pytest.approx(1)
            assert density.edges is not None
            assert density.centres is not None
            assert len(density.edges) == len(density.centres) + 1 == len(density.target) + 1
            assert np.all(np.diff(density.edges) > 0)


def test_cells_hold_the_trials_between_their_edges() -> None:
    """A histogram of the raw values over the edges is the count."""
    table = condped.problems.get("nested").sample(500, seed=2)
    result = condped.importance(table)
    (x,) = [parameter for parameter in table.parameters if parameter.name == "x"]
    (density,) = result.densities["x"]
    values = x.values[x.domain_ids >= 0]
    assert density.edges is not None
    assert density.region.tolist() == np.histogram(values, density.edges)[0].tolist()


def test_both_methods_count_on_the_same_cells() -> None:
    """The calibrated method counts by rank; its densities are in units all the same."""
    table = condped.problems.get("three-way").sample(600, seed=0)
    paper = condped.importance(table)
    calibrated = condped.importance(table, method="calibrated")
    for (name, one), (other_name, other) in zip(regimes(paper), regimes(calibrated), strict=True):
        assert name == other_name
        assert one.target.tolist() == other.target.tolist()
        assert one.region_mass == pytest.approx(other.region_mass)
        assert one.good == other.good


def test_pooled_regimes_have_raw_values() -> None:
    """X in [0, c] with its optimum at 0.5: good values lie there, in units of x."""
    rng = np.random.default_rng(0)
    n = 600
    bounds = rng.uniform(1, 3, n)
    study = []
    for c in bounds:
        x = rng.uniform(0, c)
        study.append((c, x, abs(x - 0.5)))
    import optuna  # noqa: PLC0415

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    made = optuna.create_study()
    made.add_trials(
        [
            optuna.trial.create_trial(
                params={"c": c, "x": x},
                distributions={
                    "c": optuna.distributions.FloatDistribution(1, 3),
                    "x": optuna.distributions.FloatDistribution(0, c),
                },
                value=value,
            )
            for c, x, value in study
        ]
    )
    result = condped.importance(made)
    assert [entry.parameter for entry in result.account.pooled] == ["x"]
    good = [entry for density in result.densities["x"] for entry in density.good]
    assert good
    x_values = np.array([x for _, x, _ in study])
    best = np.array([value for _, _, value in study]) <= sorted(v for *_, v in study)[n // 10 - 1]
    total = sum(entry.target_trials for entry in good)
    assert total > 0.9 * best.sum()
    for entry in good:
        assert entry.low is not None
        assert entry.high is not None
        assert entry.low <= 0.5 <= entry.high
        inside = (x_values >= entry.low) & (x_values <= entry.high)
        assert entry.target_trials <= np.count_nonzero(inside & best)


def test_domains_of_one_value_have_one_cell() -> None:
    """Nothing varies, nothing is good, and nothing breaks."""
    result = condped.importance(
        {"x": [1.0] * 30, "y": list(range(30)), "loss": [float(v) for v in range(30)]},
        objective="loss",
    )
    (density,) = result.densities["x"]
    assert density.target.tolist() == [3]
    assert density.region_mass.tolist() == [1.0]
    assert density.good == ()


def test_an_undetermined_result_has_densities_without_good_values() -> None:
    """What can be counted is counted."""
    result = condped.importance({"x": [0.1, 0.2, 0.3], "loss": [1.0, 1.0, 1.0]}, objective="loss")
    (density,) = result.densities["x"]
    assert density.region.sum() == 3
    assert density.good == ()


def test_smoothing_is_the_papers() -> None:
    """Masses equal those that the slow oracle adds up kernel by kernel from raw values."""
    table = condped.problems.get("nested").sample(300, seed=3)
    result = condped.importance(table)
    (x,) = [parameter for parameter in table.parameters if parameter.name == "x"]
    (density,) = result.densities["x"]
    loss = table.objectives[0].values
    best = loss <= np.sort(loss)[math.ceil(0.1 * 300) - 1]
    domain = slow.SlowDomain("float", -7.0, -4.0)
    for rows, masses in ((best, density.target_mass), (np.isfinite(loss), density.region_mass)):
        values = x.values[rows & (x.domain_ids >= 0)].tolist()
        assert masses.tolist() == pytest.approx(slow.masses(values, domain), abs=1e-9)


def test_densities_of_an_unknown_parameter_name_the_known_ones() -> None:
    """As the result itself does; still a KeyError, so that ``in`` and ``get`` work."""
    source = {**trials(), "loss": losses(trials(), "layers")}
    densities = condped.importance(source, objective="loss", space=SPACE).densities
    with pytest.raises(NameNotFoundError, match=r"no parameter 'layer'\. Available: .*'layers'"):
        densities["layer"]
    assert "layer" not in densities
    assert densities.get("layer") is None
