"""Trials in a dataset of Ray Data, counted by its workers."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from ray.data import DataContext
from ray.exceptions import RayError

from condped.read.batches import BatchReader
from condped.read.databases.pyarrow_partition import PartitionTask, Passes, raise_failure
from condped.read.options import ReadOptions
from condped.trials.batch import Fold, Schema, State

# How often a block is tried whose worker was lost; by itself Ray Data would never give up.
_RETRIES = 3
_BARS = ("enable_progress_bars", "enable_operator_progress_bars", "print_on_execution_start")
_SHIPPING = (
    "Install it there; or send it along: "
    "ray.init(runtime_env={'py_modules': [condped]}), or name it in the job's runtime_env."
)
_REMEDY = "Call materialize() on the dataset, and count what it returns."


def open_ray(source: Any, options: ReadOptions) -> RaySource:
    """Open a dataset."""
    with _quiet():
        try:
            names = tuple(source.columns() or ())
        except RayError as error:
            raise_failure("Ray Data", error, _SHIPPING)
    reader = BatchReader.of(names, options, options.space)
    notes = () if options.space is None else options.space.notes
    schema = reader.schema("Ray Data", ordered=False)
    return RaySource(source, reader, schema, tuple(notes), Passes("the dataset", _REMEDY))


def arrow_table(dataset: Any) -> pa.Table:
    """Return all rows of a dataset, in memory."""
    with _quiet():
        return pa.concat_tables(dataset.iter_batches(batch_size=None, batch_format="pyarrow"))


@dataclass(frozen=True, slots=True, eq=False)
class RaySource:
    """Batches of a dataset, on Ray's workers."""

    dataset: Any
    reader: BatchReader
    schema: Schema
    notes: tuple[str, ...]
    passes: Passes

    def fold(self, fold: Fold[State]) -> list[State]:
        view = self.reader.view(fold.parameters)
        task = PartitionTask(self.reader, view, fold)
        columns = list(view.columns)

        def count(block: pa.Table) -> pa.Table:
            answer = task.run(block.select(columns).to_batches())
            return pa.table({"state": pa.array([answer], pa.binary())})

        with _quiet():
            try:
                counted = self.dataset.select_columns(columns).map_batches(
                    count,
                    batch_size=None,
                    batch_format="pyarrow",
                    ray_remote_args_fn=lambda: {"max_retries": _RETRIES},
                )
                answers = (row["state"] for row in counted.iter_rows())
                return self.passes.states(fold, answers)
            except RayError as error:
                raise_failure("Ray Data", error, _SHIPPING)

    def close(self) -> None:
        """Nothing is held between passes."""


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
