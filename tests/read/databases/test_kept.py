"""Rows in a temporary file: the same that came, and no file when they are no longer needed."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from condped.errors import DataError
from condped.read.databases.kept_batches import KeptBatches
from condped.read.stream.pyarrow_parquet_files import BATCH


def open_files() -> set[str]:
    """Return the files that this process has open."""
    found = set()
    for entry in Path("/proc/self/fd").iterdir():
        try:
            found.add(str(entry.readlink()))
        except OSError:  # the one that lists them
            continue
    return {name for name in found if name.startswith(tempfile.gettempdir())}


def test_batches_come_back_as_they_were() -> None:
    """Small ones joined, each with its own dictionary and types, also of texts and nothing."""
    kept = KeptBatches("t")
    sent = [
        pa.record_batch({"k": pa.array(["a", None, "ü"]).dictionary_encode(), "x": [1, 2, 3]}),
        pa.record_batch({"k": pa.array(["c", "a"]).dictionary_encode(), "x": [4, 5]}),
        pa.record_batch({"k": pa.array([None]), "x": [0.5]}),
        pa.record_batch({"k": pa.array([], pa.string()), "x": pa.array([], pa.int64())}),
        pa.record_batch({"k": pa.array([f"{n}" for n in range(BATCH)]), "x": np.arange(BATCH)}),
    ]
    assert [kept.add(batch) for batch in sent] == [3, 2, 1, 0, BATCH]
    kept.end()
    assert kept.rows == [5, 1, BATCH]
    back = [row for place in range(3) for row in kept.batch(place).to_pylist()]
    assert back == [row for batch in sent for row in batch.to_pylist()]
    kept.close()


@pytest.mark.parametrize("way", ["closed", "forgotten"])
def test_nothing_is_left_of_the_file(way: str) -> None:
    """Whether it is closed or not; nobody sees it meanwhile."""
    gc.collect()
    before = open_files()
    folder = Path(tempfile.gettempdir())
    there = set(folder.glob("condped-*"))
    kept = KeptBatches("t")
    kept.add(pa.record_batch({"x": np.arange(BATCH)}))
    assert len(open_files() - before) == 1
    assert set(folder.glob("condped-*")) == there
    if way == "closed":
        kept.close()
    del kept
    gc.collect()
    assert open_files() <= before


def test_a_process_that_is_killed_leaves_nothing(tmp_path: Path) -> None:
    """The file has no name that could stay."""
    code = (
        "import os, signal, pyarrow as pa\n"
        "from condped.read.databases.kept_batches import KeptBatches\n"
        "kept = KeptBatches('t')\n"
        "kept.add(pa.record_batch({'x': list(range(200_000))}))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, check=False)
    assert done.returncode == -signal.SIGKILL
    assert not list(tmp_path.iterdir())


def test_a_full_disk_is_told() -> None:
    """A limit on the size of files stands for a disk that has no more room."""
    code = (
        "import resource, signal, pyarrow as pa\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "from condped.errors import DataError\n"
        "from condped.read.databases.kept_batches import KeptBatches\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "kept = KeptBatches(\"the table 't'\")\n"
        "try:\n"
        "    kept.add(pa.record_batch({'x': list(range(200_000))}))\n"
        "except DataError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "The rows of the table 't' cannot be kept in a temporary file in" in done.stdout
    assert "TMPDIR" in done.stdout
    assert done.stdout.count("\n") == 1


def test_a_directory_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before any row is fetched."""
    monkeypatch.setattr(tempfile, "tempdir", "/none/of/these")
    with pytest.raises(DataError, match="in '/none/of/these': No such file or directory"):
        KeptBatches("t")
