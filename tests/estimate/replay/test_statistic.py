"""The statistic of replayed series, against the closed form of one series."""

from __future__ import annotations

import numpy as np
import pytest

from condped.estimate.independence_test import STRATUM, deviation, kernel_of_test
from condped.estimate.replay.statistic import scores


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("trials", [15, 64, 203])
def test_many_series_are_scored_as_each_by_the_closed_form(trials: int, ordered: bool) -> None:
    """The statistic and its mean over all draws of hits; its variance nearly."""
    rng = np.random.default_rng(trials)
    total = 12 if ordered else 4
    cells = rng.integers(0, total, (5, trials))
    cells[4] = 1  # nothing to compare
    hits = np.stack([rng.random(trials) < share for share in (0.2, 0.5)])
    found = scores(cells, hits, total, ordered=ordered)
    kernel = kernel_of_test(total, trials, ordered=ordered)
    for kind, strata in enumerate((1, max(1, trials // STRATUM))):
        stratum = np.arange(trials) * strata // trials
        for number, own in enumerate(cells):
            places = stratum * total + own
            region = np.bincount(places, minlength=strata * total).reshape(strata, total)
            target = np.stack(
                [
                    np.bincount(places[members], minlength=strata * total).reshape(strata, total)
                    for members in hits
                ]
            )
            exact = deviation(region, target, kernel)
            assert found.statistic[kind, number] == pytest.approx(exact.statistic, abs=1e-9)
            assert found.mean[kind, number] == pytest.approx(exact.mean, abs=1e-9)
            # In place of the exact one: of normal variables, as spread as among all trials.
            assert np.all(found.variance[kind, number] <= 3 * exact.variance + 1e-9)
            assert np.all(found.variance[kind, number] >= exact.variance / 3)


def test_a_drift_of_values_and_results_together_is_no_deviation() -> None:
    """Choices that change once, when results become good, differ among all trials only."""
    cells = np.repeat([[0, 1]], 50, axis=1)
    hits = cells[:1] == 1
    among, within = scores(cells, hits, 2, ordered=False).statistic[:, 0, 0]
    assert among > 10
    assert within == 0
    mixed = np.random.default_rng(0).permutation(100)
    assert scores(cells[:, mixed], hits[:, mixed], 2, ordered=False).z[0, 0] > 5
