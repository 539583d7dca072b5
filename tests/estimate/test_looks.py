"""The schedule of looks, and p-values that hold over all of them."""

import numpy as np
import pytest

from condped.estimate.looks import (
    FIRST_LOOK,
    last_look,
    look_weights,
    looks_until,
    next_look,
    over_looks,
)


def test_looks_are_at_multiples_of_ten_and_grow_by_about_a_quarter() -> None:
    """No look is finer than every ten trials, and none waits for more than half as many again."""
    looks = np.array(looks_until(100_000))
    assert looks[0] == FIRST_LOOK
    assert not (looks % 10).any()
    assert (np.diff(looks) >= 10).all()
    ratio = looks[1:] / looks[:-1]
    assert ratio.max() < 1.35
    assert ratio[looks[1:] > 200].min() > 1.2


@pytest.mark.parametrize("finished", [0, 29, 30, 31, 157, 160, 12_345])
def test_next_and_last_look_surround_the_finished_trials(finished: int) -> None:
    """The last look is at most the finished trials, the next one above, and nothing between."""
    last, following = last_look(finished), next_look(finished)
    assert last <= finished < following
    assert next_look(last) == following
    assert last_look(following) == following


def test_weights_of_all_looks_sum_to_one() -> None:
    """Each spends what it may, and together they spend everything in the end."""
    weights = look_weights(200_000)
    assert (np.diff(weights) < 0).all()
    assert weights.sum() == pytest.approx(1.0, abs=1e-4)
    assert weights.sum() < 1.0


def test_combined_p_values_equal_an_obvious_loop() -> None:
    """The smallest of p / w over the looks that have one."""
    rng = np.random.default_rng(0)
    p_values = rng.random((9, 2, 5)) ** 3
    p_values[rng.random(p_values.shape) < 0.3] = np.nan
    p_values[:, 1, 4] = np.nan
    weights = look_weights(9)
    found = over_looks(p_values, weights)
    for place in np.ndindex(2, 5):
        best = None
        for look in range(9):
            p = p_values[look][place]
            if not np.isnan(p):
                spent = min(p / weights[look], 1.0)
                best = spent if best is None or spent < best else best
        if best is None:
            assert np.isnan(found[place])
        else:
            assert found[place] == pytest.approx(best)


def test_error_over_a_whole_run_is_at_most_the_level() -> None:
    """Sums of normal noise, tested at every look: a false alarm at any time is rare enough."""
    rng = np.random.default_rng(1)
    looks = np.array(looks_until(1_000))
    steps = np.diff(looks, prepend=0)
    sums = (rng.standard_normal((len(looks), 20_000)) * np.sqrt(steps)[:, None]).cumsum(axis=0)
    size = (sums / np.sqrt(looks)[:, None]) ** 2
    # Two-sided p-values, by the distribution of all simulated sizes at a look.
    ranks = size.argsort(axis=1).argsort(axis=1)
    p_values = 1.0 - ranks / size.shape[1]
    combined = over_looks(p_values, look_weights(len(looks)))
    for level in (0.01, 0.05, 0.1):
        assert np.mean(combined <= level) <= level
    assert np.mean(p_values.min(axis=0) <= 0.05) > 0.15  # what looking again and again costs
