"""The problems' exact importances, against formulas of the paper and against brute force."""

from __future__ import annotations

import numpy as np
import pytest

import condped
from condped.errors import NameNotFoundError, SettingsError

PAIRS = [(0.05, 1.0), (0.1, 1.0), (0.4, 1.0), (0.7, 1.0), (0.2, 0.5), (0.5, 0.75), (0.3, 0.45)]


def columns(name: str, trials: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Draw a problem's trials from its definition in the paper; NaN means inactive."""
    rng = np.random.default_rng(11)
    u = {n: rng.random(trials) for n in ("c", "c0", "c1", "x", "y", "z")}

    def on(active: np.ndarray, values: np.ndarray) -> np.ndarray:
        return np.where(active, values, np.nan)

    c, left = u["c"], u["c"] < 0.5
    if name == "activation-disjoint":
        drawn = {"c": c, "x": on(left, -5 + 3 * u["x"]), "y": on(~left, 2 + 3 * u["y"])}
    elif name == "activation-overlap":
        drawn = {"c": c, "x": on(left, -5 + 7 * u["x"]), "y": on(~left, -2 + 7 * u["y"])}
    elif name == "regime-dependent":
        x = np.where(left, -7 + 5 * u["x"], 2 + 5 * u["x"])
        y = np.where(left, -5 + 3 * u["y"], 2 + 3 * u["y"])
        return {"c": c, "x": x, "y": y}, x + y
    elif name == "nested":
        outer, inner = u["c0"] < 0.75, u["c1"] < 0.5
        drawn = {
            "c0": u["c0"],
            "c1": on(outer, u["c1"]),
            "x": on(outer & inner, -7 + 3 * u["x"]),
            "y": on(outer & ~inner, -3 + 3 * u["y"]),
            "z": on(~outer, 2 + 3 * u["z"]),
        }
    else:
        low, middle = c < 1 / 3, (c >= 1 / 3) & (c < 2 / 3)
        x = np.where(low, -7 + 3 * u["x"], -3 + 3 * u["x"])
        drawn = {"c": c, "x": on(low | middle, x), "y": on(~(low | middle), 4 + 3 * u["y"])}
    values = [drawn[n] for n in drawn if n not in ("c", "c0", "c1")]
    return drawn, np.nansum(values, axis=0)


def brute_force(name: str, target: float, region: float) -> dict[str, tuple[float, ...]]:
    """Return (within, inter, unweighted) of each parameter from a histogram of many trials."""
    drawn, loss = columns(name, 1_000_000)
    inside = loss <= np.quantile(loss, region)
    good = (loss <= np.quantile(loss, target))[inside].astype(float)
    found: dict[str, tuple[float, ...]] = {}
    for parameter, values in drawn.items():
        kept = values[inside]
        # Domains of one problem's parameter do not overlap, but for their sign or a gap.
        regime = np.where(np.isnan(kept), 0, 1 + (kept >= (0 if name != "three-way" else -3.5)))
        if parameter.startswith("c") or name not in ("regime-dependent", "three-way"):
            regime = np.where(np.isnan(kept), 0, 1)
        within = inter = unweighted = 0.0
        for place in np.unique(regime):
            here = regime == place
            share, reach = here.mean(), good[here].mean()
            inter += share * (reach - good.mean()) ** 2
            if place:
                low, high = kept[here].min(), kept[here].max()
                cell = np.minimum(((kept[here] - low) / (high - low) * 600).astype(int), 599)
                n = np.bincount(cell, minlength=600)
                hit = np.bincount(cell, weights=good[here], minlength=600)
                chance = np.divide(hit, n, out=np.zeros(600), where=n > 0)
                spread = float((n * (chance - reach) ** 2).sum() / n.sum())
                within += share * spread
                unweighted += good.mean() ** 2 * spread / reach**2 if reach else 0.0
        found[parameter] = (within, inter, unweighted)
    return found


@pytest.mark.parametrize("name", condped.problems.names())
@pytest.mark.parametrize("pair", [(0.1, 1.0), (0.4, 1.0), (0.7, 1.0), (0.3, 0.6)])
def test_truth_equals_a_histogram_of_a_million_trials(name: str, pair: tuple[float, float]) -> None:
    """All three variances agree with brute force on the paper's definitions."""
    truth = condped.problems.get(name).truth(*pair)
    for parameter, (within, inter, unweighted) in brute_force(name, *pair).items():
        place = truth.names.index(parameter)
        assert truth.within[place] == pytest.approx(within, abs=2e-3)
        assert truth.inter[place] == pytest.approx(inter, abs=2e-3)
        assert truth.unweighted[place] == pytest.approx(unweighted, rel=0.05, abs=2e-3)


def test_importances_by_a_measure_are_its_normalised_variances() -> None:
    """Each measure has its own truth; one that has none is refused."""
    truth = condped.problems.get("three-way").truth(0.2)
    standard = truth.within + truth.inter
    expected = (standard / standard.sum()).tolist()
    assert list(truth.to_dict(measure="standard").values()) == pytest.approx(expected)
    shown = truth.to_dict(measure="unweighted", normalize=False)
    assert list(shown.values()) == pytest.approx(truth.unweighted.tolist())
    with pytest.raises(SettingsError, match="within, standard and unweighted"):
        truth.to_dict(measure="unconditional")


@pytest.mark.parametrize("target", [0.05, 0.2, 0.4, 0.49])
def test_disjoint_problem_has_its_closed_form(target: float) -> None:
    """Below one half: HPI of c is γ'/(1−γ'), of x (1−2γ')/(1−γ'), of y 0."""
    exact = condped.problems.get("activation-disjoint").truth(target).to_dict()
    assert exact["c"] == pytest.approx(target / (1 - target))
    assert exact["x"] == pytest.approx((1 - 2 * target) / (1 - target))
    assert exact["y"] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("name", ["activation-disjoint", "activation-overlap", "regime-dependent"])
@pytest.mark.parametrize("pair", PAIRS)
def test_gate_leaks_into_the_gated_by_its_own_variance(
    name: str, pair: tuple[float, float]
) -> None:
    """The leakage theorem: a gated parameter's inter-regime variance is the gate's variance."""
    truth = condped.problems.get(name).truth(*pair)
    gate = truth.within[truth.names.index("c")]
    for parameter in ("x", "y"):
        inter = truth.inter[truth.names.index(parameter)]
        assert inter == pytest.approx(gate, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("name", condped.problems.names())
@pytest.mark.parametrize("pair", PAIRS)
def test_no_parameter_explains_more_than_there_is(name: str, pair: tuple[float, float]) -> None:
    """Each η² lies between 0 and 1, and the importances sum to 1."""
    truth = condped.problems.get(name).truth(*pair)
    assert all(-1e-12 <= share <= 1 + 1e-12 for share in truth.eta_squared.values())
    assert sum(truth.to_dict().values()) == pytest.approx(1)


@pytest.mark.parametrize("name", condped.problems.names())
def test_estimates_from_many_trials_come_near_the_truth(name: str) -> None:
    """With 100,000 trials the mean error over all γ' is below 0.01."""
    problem = condped.problems.get(name)
    curve = condped.sweep(problem.sample(100_000, seed=0))
    errors = []
    for target, found in zip(curve.target_quantiles, curve.importance, strict=True):
        exact = problem.truth(float(target)).to_dict()
        errors.append(np.abs(found - [exact[n] for n in curve.names]).mean())
    assert np.mean(errors) < 0.01


@pytest.mark.parametrize("name", condped.problems.names())
def test_optuna_runs_a_problem_as_its_objective(name: str) -> None:
    """A study of the problem records the space's domains and the loss of the definition."""
    optuna = pytest.importorskip("optuna")
    problem = condped.problems.get(name)
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1))
    study.optimize(problem.objective, n_trials=60)
    recorded = condped.read(study)
    sampled = problem.sample(200, seed=0)
    domains = {p.name: set(p.domains) for p in sampled.parameters}
    assert {p.name: set(p.domains) for p in recorded.parameters} == domains
    for trial in study.trials:
        values = [v for n, v in trial.params.items() if not n.startswith("c")]
        assert trial.value == pytest.approx(sum(values))


def test_samples_repeat_for_a_seed_and_differ_between_seeds() -> None:
    """All randomness comes from the seed."""
    problem = condped.problems.get("nested")
    first, again, other = (problem.sample(50, seed=s).objectives[0].values for s in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_an_unknown_problem_is_named_with_a_near_match() -> None:
    """The error lists what there is."""
    with pytest.raises(NameNotFoundError, match="Did you mean 'three-way'"):
        condped.problems.get("three-ways")
    with pytest.raises(SettingsError, match="below region_quantile"):
        condped.problems.get("nested").truth(0.6, 0.5)
