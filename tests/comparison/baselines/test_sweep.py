"""PED-ANOVA at many target quantiles."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import condped
from condped.errors import SettingsError


@pytest.mark.parametrize("absent", ["filtering", "imputation"])
@pytest.mark.parametrize("region", [1.0, 0.7])
def test_each_point_is_what_one_quantile_gives(absent: Any, region: float) -> None:
    """A sweep is many importances at once, which the parity tests tie to Optuna."""
    table = condped.problems.get("three-way").sample(300, seed=1)
    targets = [0.01, 0.1, 0.33, 0.5, 0.69]
    curve = condped.baselines.sweep(
        table, target_quantiles=targets, absent=absent, region_quantile=region
    )
    for place, target in enumerate(targets):
        point = condped.baselines.importance(
            table,
            method="ped-anova",
            absent=absent,
            target_quantile=target,
            region_quantile=region,
        )
        found = dict(zip(curve.names, curve.variance[place], strict=True))
        assert found == point.to_dict(normalize=False)
        assert dict(zip(curve.names, curve.importance[place], strict=True)) == point.to_dict()
        assert curve.target_sizes[place] == point.target_size
    json.dumps(curve.to_data(), allow_nan=False)
    assert f"PED-ANOVA, {absent}" in str(curve)
    assert max(map(len, str(curve).splitlines())) <= 100


def test_each_parameter_has_target_sets_of_its_own() -> None:
    """Half of the filtered trials reach the target set at 0.5, whatever the others do."""
    table = condped.problems.get("activation-disjoint").sample(4000, seed=42)
    quantiles = [0.05, 0.25, 0.5, 0.75]
    curve = condped.baselines.sweep(table, target_quantiles=quantiles, absent="filtering")
    # The paper: almost identical importances of x and y, and near 0.5 of all three. (Means over
    # seeds; beyond 0.9 those of a single sample scatter by more than 0.05.)
    np.testing.assert_allclose(curve["x"], curve["y"], atol=0.05)
    np.testing.assert_allclose(curve.importance[2], 1 / 3, atol=0.03)


def test_bad_settings_are_refused() -> None:
    """As for one quantile, and the quantiles themselves."""
    table = condped.problems.get("nested").sample(50, seed=0)
    with pytest.raises(SettingsError, match="filtering, imputation"):
        condped.baselines.sweep(table, absent="none")  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match="ascending"):
        condped.baselines.sweep(table, target_quantiles=[0.5, 0.1])
    with pytest.raises(SettingsError, match="region_quantile"):
        condped.baselines.sweep(table, region_quantile=2.0)
