"""Runs of tools that take long enough to be shared between test files."""

from __future__ import annotations

import warnings
from typing import Any

import pytest


@pytest.fixture(scope="session")
def ray_experiments(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Let Ray Tune run its experiments once."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what Ray thinks of its own and of Optuna's interfaces
        import ray  # noqa: PLC0415

        from tests.read.tools.ray.experiments import run  # noqa: PLC0415

        try:
            return run(tmp_path_factory.mktemp("ray"))
        except Exception as error:
            # Ray gives its own processes half a minute, which a busy machine may exceed once.
            if "timed out during startup" not in str(error):
                raise
            ray.shutdown()
            return run(tmp_path_factory.mktemp("ray-again"))
