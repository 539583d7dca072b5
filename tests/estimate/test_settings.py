"""The estimator's options: invalid values are refused by name."""

from __future__ import annotations

from typing import Any

import pytest

from condped.errors import SettingsError
from condped.estimate.settings import Settings


@pytest.mark.parametrize("startup", [-1, 2.5, "10", float("nan"), True])
def test_startup_is_a_number_of_trials(startup: Any) -> None:
    """Texts and fractions are not numbers of trials."""
    with pytest.raises(SettingsError, match="startup must be a number of trials"):
        Settings(startup=startup)
