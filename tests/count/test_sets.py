"""Region and target sets, against sorting by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import condped
from condped.count.trials import Trials
from condped.trials.batch import Batch, Fold, State
from condped.trials.table import Objective, TrialTable, all_complete
from condped.trials.used_trials import Handling, set_size
from tests.count import slow
from tests.count.studies import drawn_handling, study
from tests.count.table_chunks import TableChunks


def table(losses: list[float]) -> TrialTable:
    """Return trials without parameters."""
    return TrialTable((), (Objective("loss", np.array(losses)),), all_complete(len(losses)))


@given(
    losses=st.lists(st.integers(-5, 5).map(float), min_size=2, max_size=60),
    targets=st.lists(st.integers(1, 49), min_size=1, max_size=5, unique=True).map(sorted),
    region=st.sampled_from([0.5, 0.75, 1.0]),
    size=st.sampled_from([7, 60]),
)
def test_sets_are_the_trials_at_or_below_the_order_statistic(
    losses: list[float], targets: list[int], region: float, size: int
) -> None:
    """Ties are kept, sets are nested."""
    quantiles = [percent / 100 for percent in targets]
    trials = table(losses)
    found = Trials.of(trials if size == 60 else TableChunks(trials, size)).top_sets(
        quantiles, region, Handling()
    )
    ordered, values = sorted(losses), np.array(losses)

    def members(quantile: float) -> np.ndarray:
        return values <= ordered[set_size(quantile, len(losses)) - 1]

    inside = members(region) if region < 1 else np.ones(len(losses), bool)
    used, in_region, in_target = found.members(Batch(trials))
    assert used.all()
    assert found.region_size == inside.sum()
    assert in_region.tolist() == inside.tolist()
    assert in_target.tolist() == members(quantiles[0]).tolist()
    for place, quantile in enumerate(quantiles):
        assert found.target_sizes[place] == members(quantile).sum()
        assert (values <= found.cutoffs[place]).tolist() == members(quantile).tolist()


@pytest.mark.parametrize("seed", range(20))
def test_trials_of_all_endings_are_in_the_sets_that_they_belong_to(seed: int) -> None:
    """Failed, pruned, infinite and infeasible ones, left out or counted as worst."""
    rng = np.random.default_rng(seed)
    trials, handling = study(rng, int(rng.choice([5, 40, 200]))), drawn_handling(rng)
    region = float(rng.choice([1.0, 0.7]))
    expected = slow.sets_of(trials, (0.2,), region, handling)
    sources: list[Any] = [trials, TableChunks(trials, 23)]
    for source in sources:
        found = Trials.of(source).top_sets((0.2,), region, handling).members(Batch(trials))
        rows = [np.flatnonzero(own).tolist() for own in found]
        assert rows == [sorted(expected.levels), expected.members[1], expected.members[0]]


def test_two_hundred_quantiles_need_wider_buckets() -> None:
    """More sets than a byte can number are numbered all the same."""
    rng = np.random.default_rng(0)
    x = rng.random(3000)
    quantiles = [i / 201 for i in range(1, 201)]
    curve = condped.sweep(
        {"x": x, "loss": x},
        objective="loss",
        space={"x": condped.Float(0, 1)},
        target_quantiles=quantiles,
    )
    alone = condped.importance(
        {"x": x, "loss": x},
        objective="loss",
        space={"x": condped.Float(0, 1)},
        target_quantile=quantiles[150],
    )
    assert curve.variance[150, 0] == pytest.approx(alone["x"].variance, rel=1e-12)


@pytest.mark.parametrize("deceptive", [False, True])
@pytest.mark.parametrize("levels", [10**9, 300, 7])
def test_a_sample_saves_passes_and_never_changes_a_set(
    levels: int, deceptive: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cut-offs near those of the sample are looked for there, others everywhere."""
    monkeypatch.setattr("condped.count.tally.SAMPLED", 8)
    monkeypatch.setattr("condped.count.target_sets.SAMPLED", 8)
    monkeypatch.setattr("condped.count.order_statistics.exact._SHORT", 1000)
    losses = np.random.default_rng(levels).integers(0, levels, 20_000).astype(float)
    if deceptive:
        losses[::8] += 2 * levels  # what is sampled
    chunks = TableChunks(table(losses.tolist()), 1000)
    folds: list[str] = []
    fold = chunks.fold

    def noted(one: Fold[State]) -> State:
        folds.append(type(one).__name__)
        return fold(one)

    monkeypatch.setattr(chunks, "fold", noted)
    found = Trials.of(chunks).top_sets([0.05, 0.1], 0.5, Handling())
    ordered = np.sort(losses)
    expected = ordered[[set_size(share, len(losses)) - 1 for share in (0.05, 0.1, 0.5)]]
    assert [*found.cutoffs, found.region] == expected.tolist()
    sizes = [int((losses <= cutoff).sum()) for cutoff in expected]
    assert [*found.target_sizes, found.region_size] == sizes
    # Where the sample tells where the cut-offs are, one pass finds them.
    assert ("HistogramFold" in folds) == deceptive
    assert "NumbersInRangeFold" in folds
