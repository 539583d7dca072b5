"""What all tests share."""

from __future__ import annotations

import optuna
from hypothesis import settings

optuna.logging.set_verbosity(optuna.logging.ERROR)

# The same examples in every run: a red test on one machine is red on all.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")
