"""Trials with everything in them that a cluster may get wrong, and what is asked of them."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import condped
from condped import Space
from condped.errors import DataError
from condped.read.opening import open_source
from condped.trials.batch import Batch

LOSS, ORDER, STATE = "lo`ss.", 'or"der', "st ate"
GATE, HOSTILE, ALIKE = "le.arner", "x'; -- `${spark.app.name}`", "RATE"
# Where another process finds condped and its tests.
PATHS = os.pathsep.join(map(str, (Path(condped.__file__).parents[1], Path(__file__).parents[3])))
# More than SORTED, so that cut-offs are looked for in bins if no more are sorted on the driver.
SORTED = 1 << 15
ROWS = 37_500

CHOICES = ["svm", "knn", 'm"l,p é\n']
SPACE = Space(
    {
        GATE: {"type": "categorical", "choices": CHOICES},
        "rate": {"type": "float", "low": 1e-5, "high": 1, "log": True},
        ALIKE: {"type": "int", "low": 1, "high": 20},
        HOSTILE: {"type": "float", "low": -5, "high": 0, "when": f"`{GATE}` != 'svm'"},
        "flag": {"type": "categorical", "choices": [True, False], "when": f"`{GATE}` == 'knn'"},
    }
)
READING: dict[str, Any] = {"objective": LOSS, "state": STATE, "space": SPACE}
# Without the column whose name differs from another's in case only.
UNLIKE = {**READING, "space": Space({name: SPACE[name] for name in SPACE if name != ALIKE})}


def trials(rows: int = ROWS, seed: int = 0) -> pa.Table:
    """Return trials with ties, NaN, infinities, nulls, texts, truth values, small floats, ints."""
    rng = np.random.default_rng(seed)
    gate = rng.integers(0, 3, rows)
    hostile = (-5 * rng.random(rows)).astype(np.float32)
    rate = np.clip(10 ** rng.uniform(-5, 0, rows), 1e-5, 1)
    loss = np.round(np.where(gate > 0, (hostile + 1) ** 2, 9) + rng.normal(size=rows), 2)
    odd = rng.random(rows)
    loss[odd < 0.02] = np.nan
    loss[odd > 0.98] = np.inf
    choices = pa.array(CHOICES)
    columns = {
        LOSS: pa.array(loss, mask=rng.random(rows) < 0.01),
        GATE: choices.take(pa.array(gate)),
        "rate": rate,
        ALIKE: rng.integers(1, 21, rows).astype(np.int16),
        HOSTILE: pa.array(hostile, mask=gate == 0),
        "flag": pa.array(rng.random(rows) < 0.4, mask=gate != 1),
        STATE: np.where(rng.random(rows) < 0.1, "failed", "complete"),
        ORDER: rng.permutation(rows),
        "surplus": ["nothing"] * rows,
    }
    return pa.table(columns)


FEW = trials(300)


def _numbers(result: Any) -> Iterator[str]:
    yield from map(repr, result.parameters)
    account = result.account
    yield from map(repr, (account.trials, account.region_size, account.dropped_regimes))
    yield from map(repr, (account.ignored_columns, account.selections))


def _importance(**options: Any) -> Callable[..., list[str]]:
    return lambda source, **more: list(_numbers(condped.importance(source, **more, **options)))


def _evidence(source: Any, **more: Any) -> list[str]:
    # Trials that are only counted are not replayed.
    asked = condped.importance(source, **more, order=ORDER, sampling="ordered")
    return [repr(one) for one in asked.evidence]


def _sweep(source: Any, **more: Any) -> list[str]:
    return [repr(row) for row in condped.sweep(source, **more).rows()]


def _branches(source: Any, **more: Any) -> list[str]:
    found = condped.branches(source, **more, order=ORDER)
    return [repr((b.condition, b.target_trials, b.trials, b.inside.parameters)) for b in found]


def _report(source: Any, **more: Any) -> list[str]:
    # Of two parameters only: it asks a lot of each.
    more["space"] = Space({name: SPACE[name] for name in (GATE, HOSTILE)})
    page = condped.report(source, **more, order=ORDER, sampling="ordered")
    return [repr(row) for row in page.rows()]


# What is asked, and what must be the same as in memory.
ANALYSES: dict[str, Callable[..., list[str]]] = {
    "importance": _importance(failed="worst", nonfinite="worst"),
    "where": _importance(where=f"rate < 0.01 and `{GATE}` != 'svm'", region_quantile=0.5),
    "ablation": _importance(measure="unconditional", reference="space"),
    "calibrated": _importance(method="calibrated", sampling="random"),
    "intervals": _importance(intervals="jackknife", order=ORDER),
    "outcome": _importance(target="failed"),
    "evidence": _evidence,
    "sweep": _sweep,
    "branches": _branches,
    "report": _report,
}


@dataclass(frozen=True)
class Spoiled:
    """A fold that ends in the middle, in one of several ways."""

    how: Callable[[], object]
    what: str = "Spoiling"
    parameters: tuple[str, ...] = ()

    def start(self) -> list[int]:
        return []

    def add(self, state: list[int], batch: Batch) -> None:
        self.how()

    def merge(self, state: list[int], other: list[int]) -> None:
        state += other


def failed(source: Any, **options: Any) -> DataError:
    """Return the error with which counting ends, which is one line and nothing else."""
    with pytest.raises(DataError) as caught:
        condped.importance(source, **{**READING, **options})
    assert "\n" not in str(caught.value)
    assert caught.value.__cause__ is None
    return caught.value


def check_value_outside(put: Callable[[pa.Table], Any]) -> None:
    """Make sure that a value outside is told with memory's text, but for the number of its row."""
    values = FEW["rate"].to_numpy().copy()
    values[250] = 7.0
    table = FEW.set_column(FEW.column_names.index("rate"), "rate", pa.array(values))
    error = failed(put(table))
    with pytest.raises(DataError) as ours:
        condped.importance(table, **READING)
    assert str(error) == str(ours.value).replace(" (row 250; rows count from 0)", "")
    assert (error.column, error.first_row, error.count) == ("rate", None, None)


def check_lost_worker(put: Callable[[pa.Table], Any], told: str) -> None:
    """Make sure that what a worker raises is raised here, and one that is killed is told of."""
    source = open_source(put(FEW), **READING)
    with pytest.raises(ZeroDivisionError) as raised:
        source.fold(Spoiled(lambda: 1 // 0))
    assert "Traceback" in raised.value.__notes__[0]
    with pytest.raises(DataError) as caught:
        source.fold(Spoiled(die))
    assert str(caught.value).startswith(told)
    assert "\n" not in str(caught.value)
    assert len(condped.importance(put(FEW), **READING).parameters) == 5


def write_with_a_bad_file(folder: Path) -> None:
    """Write three files of trials, the second spoiled in the middle."""
    for number in range(3):
        pq.write_table(FEW.drop_columns(ALIKE), folder / f"{number}.parquet", compression="none")
    spoiled = folder / "1.parquet"
    whole = spoiled.read_bytes()
    spoiled.write_bytes(whole[:4] + b"\xff" * (len(whole) // 2) + whole[4 + len(whole) // 2 :])


def die() -> None:
    """End this process at once, as a machine does that is lost."""
    os.kill(os.getpid(), signal.SIGKILL)


def python_without_condped(folder: Path) -> Path:
    """Return a Python that has all libraries of this one, but not condped."""
    links = folder / "libraries"
    links.mkdir()
    for entry in Path(np.__file__).parents[1].iterdir():
        if "condped" not in entry.name and entry.suffix != ".pth":
            (links / entry.name).symlink_to(entry)
    script = folder / "python"
    source = Path(condped.__file__).parents[1]
    script.write_text(
        "#!/bin/sh\n"
        f"others=$(echo \"$PYTHONPATH\" | tr : '\\n' | grep -vxF {source} | paste -sd :)\n"
        f'PYTHONPATH=$others:{links} exec {sys.executable} -S "$@"\n'
    )
    script.chmod(0o755)
    return script


def zipped_condped(folder: Path) -> Path:
    """Return the package as a file that can be sent to workers."""
    package = Path(condped.__file__).parent
    return Path(shutil.make_archive(str(folder / "condped"), "zip", package.parent, package.name))
