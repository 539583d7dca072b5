"""Parts of the trials, for intervals: each counted as if there were no other trials."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from condped.count import resampling as subsets
from condped.count.counts import SubsetCounts
from condped.count.order_statistics.keys import group_of
from condped.count.trials import Trials
from condped.errors import SettingsError
from condped.trials.table import TrialTable
from condped.trials.used_trials import Handling
from tests.count import slow
from tests.count.studies import drawn_handling, study
from tests.count.table_chunks import TableChunks


def parts_of(intervals: str, trials: int, seed: int) -> Iterator[np.ndarray]:
    """Return (trials,) which are in each part: all but one of 20 groups, or 32 of 64 groups."""
    if intervals == "jackknife":
        groups = group_of(np.arange(trials), 20, seed)
        yield from (groups != left_out for left_out in range(20))
        return
    groups, rng = group_of(np.arange(trials), 64, seed), np.random.default_rng(seed)
    for _ in range(200):
        yield np.isin(groups, rng.permutation(64)[:32])


def counted(trials: Trials, sets: Any, quantiles: Any, region: float, **options: Any) -> Any:
    """Return the ranges of cells, and the counts of all parts together."""
    found = trials.subsets(sets, quantiles, region, seed=5, **options)
    assert found is not None
    parts = list(found.counts)
    names = ("target", "region", "target_sizes", "region_sizes")
    return found.ranges, SubsetCounts(
        *(np.concatenate([getattr(part, name) for part in parts]) for name in names)
    )


def drawn(seed: int) -> tuple[TrialTable, Any, float]:
    rng = np.random.default_rng(seed)
    return study(rng, 150), drawn_handling(rng), float(rng.choice([1.0, 0.7]))


@pytest.mark.parametrize("intervals", ["jackknife", "half-sampling"])
@pytest.mark.parametrize("seed", range(4))
def test_a_part_is_counted_as_if_it_were_alone(
    seed: int, intervals: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cut-offs anew, cells of the grids, sizes: against plain Python, some parts at a time."""
    if seed % 2:
        monkeypatch.setattr(subsets, "_COUNTS_AT_A_TIME", 1 << 17)
        monkeypatch.setattr(subsets, "_PLACES_AT_A_TIME", 1 << 11)
    table, handling, region = drawn(seed)
    quantiles = (0.1, 0.4)
    trials = Trials.of(table)
    sets = trials.top_sets(quantiles, region, handling)
    ranges, found = counted(trials, sets, quantiles, region, intervals=intervals, by_rank=False)
    masks = list(parts_of(intervals, len(table), 5))
    assert len(masks) == len(found.region)
    for part, mask in list(enumerate(masks))[:: 1 if intervals == "jackknife" else 20]:
        alone = table.only(mask)
        expected = slow.sets_of(alone, quantiles, region, handling)
        assert found.target_sizes[part].tolist() == [len(s) for s in expected.members[:-1]]
        assert found.region_sizes[part] == len(expected.members[-1])
        cells = [slow.grid_counts(parameter, expected) for parameter in alone.parameters]
        for own in ranges:
            here = slice(own.start, own.start + own.cells)
            *target, in_region = cells[own.owner][own.domain]
            assert found.region[part, here].tolist() == in_region
            assert found.target[part, :, here].tolist() == target


@pytest.mark.parametrize("intervals", ["jackknife", "half-sampling"])
@pytest.mark.parametrize("by_rank", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_parts_of_many_batches_are_those_of_one(seed: int, by_rank: bool, intervals: Any) -> None:
    """Trials are dealt into groups by their numbers, wherever they are."""
    table, handling, region = drawn(seed)
    found = []
    for trials in (Trials.of(table), Trials.of(TableChunks(table, 17, workers=3))):
        sets = trials.top_sets((0.1, 0.4), region, handling)
        found.append(
            counted(trials, sets, (0.1, 0.4), region, intervals=intervals, by_rank=by_rank)
        )
    (ranges, one), (same, other) = found
    for own, like in zip(ranges, same, strict=True):
        assert (own.owner, own.domain, own.start, own.cells, own.ordered) == (
            like.owner, like.domain, like.start, like.cells, like.ordered
        )  # fmt: skip
    for name in ("target", "region", "target_sizes", "region_sizes"):
        assert np.array_equal(getattr(one, name), getattr(other, name))


def test_parts_by_rank_have_the_cells_of_all_trials() -> None:
    """The cells are those of the whole region set; a part has its own trials in them."""
    table, handling, _ = drawn(1)
    trials = Trials.of(table)
    sets = trials.top_sets((0.3,), 1.0, handling)
    ranges, found = counted(trials, sets, (0.3,), 1.0, intervals="jackknife", by_rank=True)
    groups = group_of(np.arange(len(table)), 20, 5)
    whole = slow.sets_of(table, (0.3,), 1.0, handling)
    for own in ranges:
        parameter = table.parameters[own.owner]
        by_rank = slow.rank_counts(parameter, whole, range(len(table)), 1)
        cells = by_rank[own.domain][-1][0] if own.domain in by_rank else [0] * own.cells
        here = slice(own.start, own.start + own.cells)
        # Each trial is left out of one part of twenty.
        assert found.region[:, here].sum(axis=0).tolist() == [19 * cell for cell in cells]
    used = [row for row in whole.levels if groups[row] != 3]
    assert found.region_sizes[3] == len(used)


def test_an_outcome_stays_what_it_is_in_every_part() -> None:
    """No cut-offs are found anew: a trial has failed or not."""
    table, _, _ = drawn(0)
    trials = Trials.of(TableChunks(table, 40))
    sets = trials.outcome_sets("failed")
    _, found = counted(trials, sets, None, 1.0, intervals="jackknife", by_rank=False)
    failed, ended = np.asarray(table.states) == 2, np.asarray(table.states) != 3
    for part, mask in enumerate(parts_of("jackknife", len(table), 5)):
        assert found.target_sizes[part].tolist() == [np.sum(failed & mask)]
        assert found.region_sizes[part] == np.sum(ended & mask)


def test_numbers_of_trials_must_differ() -> None:
    """Groups by numbers that repeat would be few, and not random."""
    table = study(np.random.default_rng(0), 100)
    trials = Trials.of(TableChunks(table, 40, times=np.arange(100) % 7))
    sets = trials.top_sets((0.1,), 1.0, Handling())
    with pytest.raises(SettingsError, match="100 trials have numbers from 0 to 6 only"):
        trials.subsets(sets, (0.1,), 1.0, intervals="jackknife", seed=0, by_rank=False)
