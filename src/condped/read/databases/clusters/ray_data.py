"""Trials in a dataset of Ray Data, counted by its workers."""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import ray
from ray.data import DataContext

from condped.errors import SettingsError
from condped.progress import report
from condped.read.databases.clusters.partition import ClusterSource, PartitionTask
from condped.read.databases.fetched_rows import needed_columns
from condped.read.options import ReadOptions

# How often a block is retried whose worker was lost; by default Ray Data never gives up.
_RETRIES = 3
_BARS = ("enable_progress_bars", "enable_operator_progress_bars", "print_on_execution_start")


class RaySource(ClusterSource):
    """Batches of a dataset, on Ray's workers.

    Attributes
    ----------
    blocks
        The needed columns, once they have been computed: references to Arrow tables in Ray's store,
        which moves to disk what does not fit into memory.
    """

    engine = "Ray Data"
    errors = (Exception,)  # of any kind
    shipping = (
        "Install it there; or send it along: "
        "ray.init(runtime_env={'py_modules': [condped]}), or name it in the job's runtime_env."
    )
    remedy = "Call materialize() on the dataset, and count what it returns."

    def __init__(self, dataset: Any, names: Sequence[str], options: ReadOptions) -> None:
        super().__init__("the dataset", names, options)
        self.dataset = dataset
        self.blocks: list[Any] = []

    def answers(self, task: PartitionTask[Any]) -> Generator[bytes]:
        """Count each block on a worker; yield the results as they arrive."""
        with _quiet(), self.failing():
            if not self.blocks:
                needed = list(needed_columns(self.reader, self.schema))
                self.blocks.extend(self.dataset.select_columns(needed).to_arrow_refs())
            # Not by map_batches: if a worker dies, it retries the block without end.
            run, sent = ray.remote(max_retries=_RETRIES)(_count), ray.put(task)
            waiting = [run.remote(sent, block) for block in self.blocks]
            try:
                while waiting:
                    done, waiting = ray.wait(waiting)
                    yield from ray.get(done)
                    report(task.fold.what, len(self.blocks) - len(waiting), len(self.blocks))
            finally:
                for one in waiting:
                    ray.cancel(one)

    def close(self) -> None:
        """Release the blocks."""
        self.blocks.clear()


def open_ray(source: Any, options: ReadOptions) -> RaySource:
    """Open a dataset."""
    if not ray.is_initialized():
        raise SettingsError("Ray is not running, so the dataset no longer exists. Create it again.")
    with _quiet(), RaySource.failing():
        names = tuple(source.columns() or ())
    return RaySource(source, names, options)


def arrow_table(dataset: Any) -> pa.Table:
    """Return all rows of a dataset, in memory."""
    with _quiet(), RaySource.failing():
        return pa.concat_tables(dataset.iter_batches(batch_size=None, batch_format="pyarrow"))


def _count(task: PartitionTask[Any], block: pa.Table) -> bytes:
    return task.run(block.select(list(task.view.columns)).to_batches())


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Ray Data's bars and log lines off the screen."""
    context, logger = DataContext.get_current(), logging.getLogger("ray.data")
    before = {name: getattr(context, name) for name in _BARS if hasattr(context, name)}
    level = logger.level
    try:
        for name in before:
            setattr(context, name, False)
        logger.setLevel(logging.CRITICAL + 1)
        yield
    finally:
        logger.setLevel(level)
        for name, value in before.items():
            setattr(context, name, value)
