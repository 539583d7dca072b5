"""Order statistics are those of the sorted numbers, however few bins are counted at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from condped.count.counter import Counter
from condped.count.order_statistics import exact as order
from condped.count.order_statistics.exact import ALONE, Ranks, order_statistics
from condped.count.order_statistics.keys import group_of
from condped.count.order_statistics.series import Groups, Region, Series
from condped.count.ranking import ByLoss
from condped.trials.batch import TableSource
from condped.trials.table import Objective, TrialTable, all_complete
from condped.trials.used_trials import Handling
from tests.count.table_chunks import reference

LOSS = Series("loss")
USED = Region(ByLoss(Handling()))


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


def limit(monkeypatch: pytest.MonkeyPatch, limits: tuple[int, int]) -> None:
    """Count so many bins, and ask for so many different numbers, at a time."""
    monkeypatch.setattr(order, "MOST_BINS", limits[0])
    monkeypatch.setattr(order, "MOST_LEVELS", limits[1])


# As many as there are, and so many that they are not gathered but counted in bins.
@pytest.mark.parametrize("trials", [500, 1 << 30])
@pytest.mark.parametrize("limits", [(1 << 20, 1 << 22), (1 << 16, 3), (1024, 40), (16, 1)])
@pytest.mark.parametrize("kind", ["outliers", "ties", "close", "one", "scales"])
def test_numbers_at_ranks_are_those_of_the_sorted_numbers(
    kind: str, limits: tuple[int, int], trials: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With how many numbers are below and not above them."""
    limit(monkeypatch, limits)
    losses = drawn(kind, np.random.default_rng(1))
    table = TrialTable((), (Objective("loss", losses),), all_complete(len(losses)))
    counter = reference(table, size=100)
    ranks = np.unique(np.linspace(1, len(losses), 13).astype(int))[None]
    asked = Ranks(losses.min(), losses.max(), lambda _: ranks, ALONE)
    found = order_statistics(counter, {LOSS: asked}, USED, trials=trials)[LOSS]
    expected = np.sort(losses)[ranks[0] - 1]
    assert np.array_equal(found.values[0], expected)
    assert found.below[0].tolist() == [(losses < v).sum() for v in expected]
    assert found.at_most[0].tolist() == [(losses <= v).sum() for v in expected]
    assert found.total.tolist() == [len(losses)]


@pytest.mark.parametrize("few", [0, 50])
@pytest.mark.parametrize("kind", ["outliers", "ties", "close", "one", "scales"])
def test_numbers_in_memory_are_found_by_sorting_or_partitioning(kind: str, few: int) -> None:
    """Few ranks, many ranks, and all numbers where there are few of them."""
    losses = drawn(kind, np.random.default_rng(3))
    table = TrialTable((), (Objective("loss", losses),), all_complete(len(losses)))
    counter = Counter(TableSource.of(table))
    for wanted in (3, 30):
        ranks = np.unique(np.linspace(1, len(losses), wanted).astype(int))[None]
        asked = Ranks(losses.min(), losses.max(), lambda _, r=ranks: r, ALONE, few=few)  # type: ignore[misc]
        found = order_statistics(counter, {LOSS: asked}, USED, trials=len(losses))[LOSS]
        expected = np.sort(losses)[ranks[0] - 1]
        distinct, counts = np.unique(losses, return_counts=True)
        assert found.total.tolist() == [len(losses)]
        if len(distinct) <= few:
            assert found.levels is not None
            assert np.array_equal(found.levels.values, distinct)
            assert np.array_equal(found.levels.counts, counts)
            continue
        assert found.levels is None
        assert np.array_equal(found.values[0], expected)
        assert found.below[0].tolist() == [(losses < v).sum() for v in expected]
        assert found.at_most[0].tolist() == [(losses <= v).sum() for v in expected]


@pytest.mark.parametrize("trials", [500, 1 << 30])
@pytest.mark.parametrize("limits", [(1 << 20, 1 << 22), (64, 5)])
@pytest.mark.parametrize("size", [70, 500])
def test_parts_of_groups_have_order_statistics_of_their_own(
    size: int, limits: tuple[int, int], trials: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each part is some of the groups that the trials are dealt into."""
    limit(monkeypatch, limits)
    rng = np.random.default_rng(2)
    losses = np.round(rng.normal(size=500), 2)
    table = TrialTable((), (Objective("loss", losses),), all_complete(len(losses)))
    counter = reference(table, size) if size < 500 else Counter(TableSource.of(table))
    members = (rng.random((6, 8)) < 0.5).astype(np.int64)
    members[0] = 1

    def find(total: Any) -> Any:
        return np.stack([np.maximum(total // 10, 1), np.maximum(total // 2, 1)], axis=1)

    asked = {LOSS: Ranks(losses.min(), losses.max(), find, members)}
    found = order_statistics(counter, asked, USED, trials=trials, groups=Groups(8, seed=3))[LOSS]
    groups = group_of(np.arange(500), 8, 3)
    for part, row in enumerate(members):
        own = np.sort(losses[row[groups] == 1])
        assert found.total[part] == len(own)
        assert found.values[part].tolist() == [own[r - 1] for r in find(np.array([len(own)]))[0]]
