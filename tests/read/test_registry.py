"""Readers of other packages: installed for real, found, used, and named when they are broken."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import condped
from condped.errors import DataError, NameNotFoundError, SourceError
from condped.read import registry
from condped.read.table.state_words import state_array
from condped.trials.table import State

ROOT = Path(__file__).parents[2]
DOCS = (ROOT / "docs" / "how-to" / "own-reader.md").read_text(encoding="utf-8")
MODULE, _, TEST = re.findall(r"^```python\n(.*?)^```", DOCS, re.MULTILINE | re.DOTALL)
(DECLARED,) = re.findall(r"^```toml\n(.*?)^```", DOCS, re.MULTILINE | re.DOTALL)


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Path]]:
    """Return a function that lays out an installed package with one entry point."""
    # The documentation's example of the same name may have been imported in this process.
    monkeypatch.delitem(sys.modules, "condped_mytool", raising=False)

    def make(target: str) -> Path:
        folder = tmp_path / "site"
        info = folder / "condped_mytool-1.0.dist-info"
        info.mkdir(parents=True, exist_ok=True)
        module = f"{MODULE}\nbroken = 'no reader at all'\n"
        (folder / "condped_mytool.py").write_text(module, encoding="utf-8")
        (folder / "test_condped_mytool.py").write_text(TEST, encoding="utf-8")
        (info / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: condped-mytool\nVersion: 1.0\n", encoding="utf-8"
        )
        (info / "entry_points.txt").write_text(
            f"[condped.readers]\nmytool = condped_mytool:{target}\n", encoding="utf-8"
        )
        return folder

    registry.installed.cache_clear()
    yield make
    registry.installed.cache_clear()


def test_the_reader_of_the_documentation_works(
    install: Callable[[str], Path], tmp_path: Path
) -> None:
    """Installed beside condped it passes its own test, is listed, and is used by commands."""
    declared = tomllib.loads(DECLARED)["project"]["entry-points"]["condped.readers"]
    assert declared == {"mytool": "condped_mytool:reader"}
    folder = install("reader")
    path = tmp_path / "run.mytool"
    path.write_text("0.3 lr=0.1\n0.2 lr=0.5 momentum=0.9\n", encoding="utf-8")
    tested = ["-m", "pytest", "-q", "--rootdir", str(folder), str(folder)]
    for command, expected in (
        (tested, "1 passed"),
        (["-m", "condped", "sources"], "a log of mytool (.mytool)"),
        (["-m", "condped", "importance", str(path)], "momentum"),
    ):
        done = subprocess.run(
            [sys.executable, *command],
            env={**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{ROOT / 'src'}"},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert expected in done.stdout


def test_a_broken_reader_is_named_with_its_package(
    install: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it cannot be loaded or is something else."""
    for target, message in (
        ("broken", "must be a condped.Reader"),
        ("nothing", "cannot be loaded"),
    ):
        monkeypatch.syspath_prepend(install(target))
        registry.installed.cache_clear()
        with pytest.raises(SourceError, match=message) as caught:
            condped.read(Path(__file__))
        assert "'condped-mytool'" in str(caught.value)
        table = condped.read({"loss": [1, 2], "x": [3, 4]}, objective="loss")
        assert table.names == ("x",)  # our own readers do not mind


def test_a_reader_can_be_chosen_by_name(tmp_path: Path) -> None:
    """For files whose ending says nothing; an unknown name gets a near match."""
    path = tmp_path / "trials.txt"
    path.write_text("loss,x\n1,2\n3,4\n", encoding="utf-8")
    with pytest.raises(SourceError, match="No reader recognises"):
        condped.read(path, objective="loss")
    assert condped.read(path, objective="loss", reader="csv").names == ("x",)
    with pytest.raises(NameNotFoundError, match="Did you mean 'csv'"):
        condped.read(path, objective="loss", reader="cvs")


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        (["complete", "failed"], [0, 2]),
        ([State.PRUNED, "TrialState.RUNNING"], [1, 3]),
        (np.array([0, 2]), [0, 2]),
        (np.array([0, 2], np.int8), [0, 2]),
    ],
)
def test_a_reader_gives_states_as_words_or_numbers(states: Any, expected: list[int]) -> None:
    """In a list or an array."""
    assert state_array(states, 2).tolist() == expected
    with pytest.raises(DataError, match=r"one state per trial: 3 \(got an array of shape \(2,\)"):
        state_array(states, 3)


@pytest.fixture
def broken_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Register a reader that raises what its source names; return the beginning of a source."""
    code = (
        "import builtins\ndef read(source, options):\n    raise getattr(builtins, source[5:])('oh')"
    )
    (tmp_path / "condped_broken.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(registry, "_registered", {})
    condped.Reader(
        name="broken",
        description="nothing",
        recognises=lambda source: isinstance(source, str) and source.startswith("oops:"),
        module="condped_broken",
    ).register()
    return "oops:"


def test_an_error_of_a_reader_does_not_blame_the_file(broken_reader: str) -> None:
    """A programming error is the reader's; any other may be the file's."""
    for error in ("AttributeError", "TypeError"):
        for name in (None, "broken"):
            with pytest.raises(SourceError, match="an error in the reader") as caught:
                condped.read(f"{broken_reader}{error}", reader=name)
            assert "'broken' of the module 'condped_broken' failed" in str(caught.value)
            assert "damaged" not in str(caught.value)
    with pytest.raises(DataError, match=r"damaged; if it is not, .* author of 'condped_broken'"):
        condped.read(f"{broken_reader}ValueError")
