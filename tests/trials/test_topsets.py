"""Sizes of target sets, and which trials take part."""

from __future__ import annotations

from typing import Any

import pytest

from condped.errors import SettingsError
from condped.trials.used_trials import Handling, set_size


def test_set_sizes_are_computed_in_floating_point() -> None:
    """The reference takes 8 of 100 trials for 0.07, because 0.07 · 100 is a little above 7."""
    assert set_size(0.07, 100) == 8
    assert set_size(0.1, 100) == 10
    assert set_size(1.0, 7) == 7


@pytest.mark.parametrize("name", ["failed", "pruned", "nonfinite", "infeasible"])
def test_an_unknown_treatment_is_refused(name: str) -> None:
    """With those that there are; only pruned and infeasible trials can be kept."""
    wrong: Any = {name: "ignore"}
    with pytest.raises(SettingsError, match=f"{name} must be one of"):
        Handling(**wrong)
    if name in ("failed", "nonfinite"):
        kept: Any = {name: "keep"}
        with pytest.raises(SettingsError, match="drop, worst"):
            Handling(**kept)
