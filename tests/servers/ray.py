"""A local Ray of two workers, and tables put there as datasets."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pytest

# Nothing is sent anywhere, and little is printed.
_SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_AIR_NEW_OUTPUT": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "TUNE_DISABLE_STRICT_METRIC_CHECKING": "1",  # for trials that report nothing
}


@contextmanager
def ray_cluster() -> Iterator[Any]:
    """Run Ray on this machine alone."""
    import ray  # noqa: PLC0415

    def start() -> None:
        ray.init(
            address="local",
            num_cpus=2,
            include_dashboard=False,
            object_store_memory=200 * 2**20,
            log_to_driver=False,
            logging_level=logging.CRITICAL,
        )

    with pytest.MonkeyPatch.context() as environment:
        for name, value in _SETTINGS.items():
            environment.setenv(name, value)
        try:
            start()
        except Exception as error:
            # Ray gives its own processes half a minute, which a busy machine may exceed once.
            if "timed out during startup" not in str(error):
                raise
            ray.shutdown()
            start()
        try:
            yield ray
        finally:
            ray.shutdown()


def put(table: pa.Table, blocks: int = 3) -> Any:
    """Return a table as a dataset of several blocks, one of them empty."""
    import ray.data  # noqa: PLC0415

    size = -(-table.num_rows // blocks)
    parts = [table.slice(number * size, size) for number in range(blocks)]
    return ray.data.from_arrow([*parts, table.slice(0, 0)])
