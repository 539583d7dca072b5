"""What docs/understand/regimes.md says of its pictures is so."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import matplotlib.pyplot as plt
import numpy as np
import pytest

import condped
from docs.regimes_pictures import PICTURES, SPACE, importance, trials


@pytest.fixture(autouse=True)
def _without_windows() -> Iterator[None]:
    plt.switch_backend("agg")
    yield
    plt.close("all")


@pytest.mark.parametrize("picture", PICTURES)
def test_a_picture_is_drawn(picture: Callable[[], None]) -> None:
    """Each function leaves one figure, as the plot directive expects."""
    picture()
    assert len(plt.get_fignums()) == 1
    plt.gcf().canvas.draw()


def test_contributions_are_what_the_formula_says() -> None:
    """κ² α²/β D, summed over the regimes, is the variance within; absent contributes nothing."""
    result = importance()
    kappa = 0.1
    for name in result.names:
        parts = [
            kappa**2 * regime.target_share**2 / regime.region_share * regime.divergence
            for regime in result[name].regimes
        ]
        np.testing.assert_allclose(parts, [r.contribution for r in result[name].regimes])
        np.testing.assert_allclose(sum(parts), result[name].variance)
        absent = [regime for regime in result[name].regimes if regime.domain is None]
        assert all(regime.divergence == 0 for regime in absent)


def test_workarounds_credit_what_the_page_says() -> None:
    """Filtering and imputation find C important, which no target trial has."""
    methods = condped.compare(
        trials(), objective="error", space=SPACE, methods=["paper", "ped-anova"]
    )
    assert methods["paper"]["C"].importance == 0
    assert methods["ped-anova/filtering"]["C"].importance > 0.5
    assert methods["ped-anova/imputation"]["C"].importance > 0.2
    assert importance(measure="standard")["C"].importance > 0.1
    assert importance()["layers"].importance < 0.05
