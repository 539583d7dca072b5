"""Runs of tools that take long enough to be shared between test files."""

from __future__ import annotations

import warnings
from typing import Any

import pytest


@pytest.fixture(scope="session")
def ray_experiments(ray_workers: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Let Ray Tune run its experiments once."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what Ray thinks of its own and of Optuna's interfaces
        from tests.read.tools.ray.experiments import run  # noqa: PLC0415

        return run(tmp_path_factory.mktemp("ray"))
