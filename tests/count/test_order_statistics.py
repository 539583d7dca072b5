"""Order statistics are those of the sorted numbers, however few bins an engine can count."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from condped.count.passes import Series, Within

from condped.count.order_statistics import Ranks, order_statistics
from condped.trials.table import Objective, TrialTable, all_complete
from condped.trials.topsets import Handling
from tests.count.table_chunks import reference

LOSS = Series("loss")


def drawn(kind: str, rng: np.random.Generator) -> np.ndarray:
    """Return losses that are hard to cut."""
    if kind == "outliers":
        return np.concatenate([rng.random(400), [1e300, -1e300, 5e-324, -5e-324]])
    if kind == "ties":
        return rng.integers(0, 4, 400).astype(float)
    if kind == "close":
        return np.asarray(1000.0 + np.spacing(1000.0) * rng.integers(0, 60, 400))
    if kind == "one":
        return np.zeros(50)
    return np.asarray(rng.normal(size=400) * 10.0 ** rng.integers(-200, 200, 400))


# As many as there are, and so many that an engine does not ask for all of their numbers.
@pytest.mark.parametrize("trials", [500, 1 << 30])
@pytest.mark.parametrize("limits", [(1 << 20, 1 << 22), (1 << 16, 3), (1024, 40), (16, 1)])
@pytest.mark.parametrize("kind", ["outliers", "ties", "close", "one", "scales"])
def test_numbers_at_ranks_are_those_of_the_sorted_numbers(
    kind: str, limits: tuple[int, int], trials: int
) -> None:
    """With how many numbers are below and not above them."""
    losses = drawn(kind, np.random.default_rng(1))
    table = TrialTable((), (Objective("loss", losses),), all_complete(len(losses)))
    passes = replace(reference(table, size=100), most_bins=limits[0], most_levels=limits[1])
    ranks = np.unique(np.linspace(1, len(losses), 13).astype(int))[None]
    alone = np.ones((1, 1), dtype=np.int64)
    asked = Ranks(losses.min(), losses.max(), lambda _: ranks, alone)
    found = order_statistics(passes, {LOSS: asked}, Within(Handling()), trials=trials)[LOSS]
    expected = np.sort(losses)[ranks[0] - 1]
    assert np.array_equal(found.values[0], expected)
    assert found.below[0].tolist() == [(losses < v).sum() for v in expected]
    assert found.at_most[0].tolist() == [(losses <= v).sum() for v in expected]
    assert found.total.tolist() == [len(losses)]


@pytest.mark.parametrize("trials", [500, 1 << 30])
@pytest.mark.parametrize("limits", [(1 << 20, 1 << 22), (64, 5)])
def test_parts_of_groups_have_order_statistics_of_their_own(
    limits: tuple[int, int], trials: int
) -> None:
    """Each part is some of the groups that the trials are dealt into."""
    from condped.count.order_statistics.keys import group_of  # noqa: PLC0415  (the oracle needs it only here)

    rng = np.random.default_rng(2)
    losses = np.round(rng.normal(size=500), 2)
    table = TrialTable((), (Objective("loss", losses),), all_complete(len(losses)))
    passes = replace(reference(table, size=70), most_bins=limits[0], most_levels=limits[1])
    members = (rng.random((6, 8)) < 0.5).astype(np.int64)
    members[0] = 1

    def find(total: Any) -> Any:
        return np.stack([np.maximum(total // 10, 1), np.maximum(total // 2, 1)], axis=1)

    asked = Ranks(losses.min(), losses.max(), find, members)
    found = order_statistics(passes, {LOSS: asked}, Within(Handling()), trials=trials, seed=3)[LOSS]
    groups = group_of(np.arange(500), 8, 3)
    for part, row in enumerate(members):
        own = np.sort(losses[row[groups] == 1])
        assert found.total[part] == len(own)
        assert found.values[part].tolist() == [own[r - 1] for r in find(np.array([len(own)]))[0]]
