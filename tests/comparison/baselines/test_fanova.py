"""f-ANOVA's marginals against the plain way: every cell of the space, one after the other."""

from __future__ import annotations

import itertools
import tracemalloc

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor

import condped
from condped.arrays import FloatArray, IntArray
from condped.comparison.baselines.fanova import Tree, fanova


def grown(forest: RandomForestRegressor) -> list[Tree]:
    """Return the forest's trees as arrays."""
    return [
        Tree(t.feature, t.threshold, t.children_left, t.children_right, t.value[:, 0, 0])
        for t in (estimator.tree_ for estimator in forest.estimators_)
    ]


def by_enumeration(
    forest: RandomForestRegressor, bounds: FloatArray, owner: IntArray
) -> FloatArray:
    """Return the shares of variance from the forest's predictions in all cells of all splits."""
    shares = []
    for estimator in forest.estimators_:
        tree = estimator.tree_
        edges = [
            np.unique([low, *tree.threshold[tree.feature == column], high])
            for column, (low, high) in enumerate(bounds)
        ]
        middles = [(edge[1:] + edge[:-1]) / 2 for edge in edges]
        cells = np.array(list(itertools.product(*middles)))
        sizes = np.array(list(itertools.product(*(np.diff(edge) for edge in edges))))
        shape = [len(middle) for middle in middles]
        values = estimator.predict(cells).reshape(shape)
        weights = np.prod(sizes, axis=1).reshape(shape)
        weights /= weights.sum()
        mean = (weights * values).sum()
        total = (weights * (values - mean) ** 2).sum()
        if total == 0:
            continue
        parts = []
        for parameter in range(owner.max() + 1):
            others = tuple(np.flatnonzero(owner != parameter))
            mass = weights.sum(axis=others)
            marginal = (weights * values).sum(axis=others) / mass
            parts.append((mass * (marginal - mean) ** 2).sum() / total)
        shares.append(parts)
    return np.asarray(np.mean(shares, axis=0))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("choices", [2, 3, 5])
def test_shares_are_those_of_all_cells(seed: int, choices: int) -> None:
    """Three numbers on scales of their own and a choice among several, in 30 trials."""
    rng = np.random.default_rng(seed)
    bounds = np.array([[-2.0, 5.0], [100.0, 1e4], [0.0, 1e-3], *[[0.0, 1.0]] * choices])
    owner = np.array([0, 1, 2, *[3] * choices])
    numbers = rng.uniform(bounds[:3, 0], bounds[:3, 1], size=(30, 3))
    chosen = rng.integers(choices, size=30)
    values = np.hstack([numbers, np.eye(choices)[chosen]])
    loss = numbers[:, 0] ** 2 + np.log(numbers[:, 1]) * (chosen == 1) + chosen
    forest = RandomForestRegressor(5, random_state=seed).fit(values, loss)
    np.testing.assert_allclose(
        fanova(grown(forest), bounds, owner, 4),
        by_enumeration(forest, bounds, owner),
        rtol=1e-9,
        atol=1e-12,
    )


def test_a_known_function_has_its_known_shares() -> None:
    """Of 2a + b, a explains four fifths and b one fifth; the noise parameter nothing."""
    rng = np.random.default_rng(0)
    a, b, c = rng.random((3, 4000))
    result = condped.baselines.importance(
        {"a": a, "b": b, "c": c, "loss": 2 * a + b},
        objective="loss",
        space={name: condped.Float(0, 1) for name in "abc"},
        method="f-anova",
        trees=8,
    )
    shares = result.to_dict(normalize=False)
    assert shares == pytest.approx({"a": 0.8, "b": 0.2, "c": 0.0}, abs=0.02)


def test_a_constant_forest_explains_nothing() -> None:
    """Trees of one leaf have no variance to share out."""
    stump = Tree(np.array([-2]), np.array([-2.0]), np.array([-1]), np.array([-1]), np.array([3.0]))
    assert fanova([stump], np.array([[0.0, 1.0]]), np.array([0]), 1).tolist() == [0.0]


def test_many_choices_do_not_multiply() -> None:
    """Forty choices have 2^40 combinations, and need neither their time nor their memory."""
    rng = np.random.default_rng(1)
    chosen, x = rng.integers(40, size=1500), rng.random(1500)
    names = [f"choice {place}" for place in range(40)]
    tracemalloc.start()
    result = condped.baselines.importance(
        {"m": [names[place] for place in chosen], "x": x, "loss": chosen % 7 + x},
        objective="loss",
        space={"m": condped.Categorical(names), "x": condped.Float(0, 1)},
        method="f-anova",
        trees=2,
    )
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert result["m"].importance > 0.5
    assert peak < 200e6


def test_memory_grows_with_the_trials_and_not_with_their_square() -> None:
    """Four times the trials need about four times the memory."""
    peaks = []
    for trials in (512, 2048):
        table = condped.problems.get("nested").sample(trials, seed=0)
        tracemalloc.start()
        condped.baselines.importance(table, method="f-anova", trees=2)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 6 * peaks[0]
