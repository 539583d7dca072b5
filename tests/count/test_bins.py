"""Keys in bins of several widths, and distinct keys, against counting one by one."""

from __future__ import annotations

import pickle
from collections import Counter

import numpy as np
import pytest

from condped.count.order_statistics import bins as kernel
from condped.count.order_statistics.bins import BinSet, DistinctPairs, Histogram, TooManyLevels
from condped.count.order_statistics.keys import KeyBins, keys_of

LOW, HIGH = -(2**63), 2**63 - 1
SETS = [
    [KeyBins(0, 3, 10)],
    [KeyBins(LOW, 60, 16)],
    [KeyBins(5, 0, 1), KeyBins(100, 2, 7), KeyBins(6, 1, 3), KeyBins(-50, 4, 2)],
    [KeyBins(LOW, 40, 3), KeyBins(HIGH - 7, 1, 4), KeyBins(0, 62, 1), KeyBins(-1, 0, 1)],
]


@pytest.mark.parametrize("bins", SETS)
@pytest.mark.parametrize("groups", [1, 3])
def test_keys_are_counted_in_the_bins_that_hold_them(bins: list[KeyBins], groups: int) -> None:
    """Bins of any width anywhere among the keys hold what lies between their ends."""
    rng = np.random.default_rng(0)
    near = rng.integers(-60, 140, 500)
    ends = [key for one in bins for key in (one.start, one.start - 1, one.stop, one.stop + 1)]
    keys = np.array([*near, *(min(max(key, LOW), HIGH) for key in ends), LOW, HIGH])
    keys = np.concatenate([keys, rng.integers(LOW, HIGH, 500)])
    group = rng.integers(0, groups, len(keys))
    histogram = Histogram(BinSet(bins), groups)
    for some in np.array_split(np.arange(len(keys)), 7):
        histogram.add(keys[some], None if groups == 1 else group[some])
    found = np.split(histogram.counts(), histogram.bins.ends[:-1], axis=1)
    for one, counts in zip(bins, found, strict=True):
        expected = np.zeros((groups, one.bins), dtype=int)
        for key, place in zip(keys.tolist(), group.tolist(), strict=True):
            number = (key - one.start) >> one.shift
            if 0 <= number < one.bins:
                expected[place, number] += 1
        np.testing.assert_array_equal(counts, expected)


@pytest.mark.parametrize("groups", [1, 4])
def test_distinct_keys_are_counted(groups: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often keys are put together, each pair of key and group stands once."""
    monkeypatch.setattr(kernel, "_WAITING", 50)
    rng = np.random.default_rng(1)
    values = rng.integers(-30, 30, 1000) / 4
    group = rng.integers(0, groups, 1000)
    parts = [DistinctPairs(10**6) for _ in range(3)]
    for number, some in enumerate(np.array_split(np.arange(1000), 20)):
        parts[number % 3].add(keys_of(values[some]), None if groups == 1 else group[some])
    for other in parts[1:]:
        parts[0].merge(other)
    levels = parts[0].levels(whole=False)
    expected = Counter(zip(values.tolist(), group.tolist(), strict=True))
    found = zip(levels.values.tolist(), levels.groups.tolist(), strict=True)
    assert dict(zip(found, levels.counts.tolist(), strict=True)) == expected
    assert list(levels.values) == sorted(levels.values)


def test_too_many_distinct_keys_are_refused() -> None:
    """So that memory does not grow with the number of trials."""
    some = DistinctPairs(10)
    some.add(np.arange(2000), None)
    with pytest.raises(TooManyLevels):
        some.levels(whole=True)


@pytest.mark.parametrize("bins", SETS)
def test_bins_arrive_at_a_worker_as_they_were(bins: list[KeyBins]) -> None:
    """Their tables are made anew there, and are not sent."""
    keys = np.random.default_rng(2).integers(-60, 140, 500)
    here = BinSet(bins)
    sent = pickle.dumps(here)
    assert len(sent) < 2000
    for own, other in zip(here.find(keys), pickle.loads(sent).find(keys), strict=True):
        np.testing.assert_array_equal(own, other)


def test_a_worker_sends_counts_and_nothing_that_waits() -> None:
    """Ten thousand keys come back as four bins, or as three distinct keys."""
    keys = np.arange(10_000) % 3
    histogram, distinct = Histogram(BinSet([KeyBins(0, 0, 4)]), 1), DistinctPairs(10**6)
    histogram.add(keys, None)
    distinct.add(keys, None)
    for state in (histogram, distinct):
        assert len(pickle.dumps(state)) < 2000
    assert pickle.loads(pickle.dumps(histogram)).counts().tolist() == [[3334, 3333, 3333, 0]]
    again = pickle.loads(pickle.dumps(distinct))
    again.merge(distinct)
    levels = again.levels(whole=True)
    assert levels.values.tolist() == [0, 1, 2]
    assert levels.counts.tolist() == [6668, 6666, 6666]
