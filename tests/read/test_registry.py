"""Readers of other packages: installed for real, found, used, and named when they are broken."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import condped
from condped.errors import NameNotFoundError, SourceError
from condped.read import registry

MODULE = '''
from pathlib import Path

from condped import Reader
from condped.read import mapping


def read(source, options):
    """Read lines such as "0.3 lr=0.1"."""
    losses, rates = [], []
    for line in Path(source).read_text().splitlines():
        loss, rate = line.split(" lr=")
        losses.append(float(loss))
        rates.append(float(rate))
    return mapping.read({"loss": losses, "lr": rates}, options)


reader = Reader(
    name="mytool",
    description="a log of mytool",
    recognises=lambda source: isinstance(source, str) and source.endswith(".mytool"),
    module="condped_mytool",
)
broken = "no reader at all"
'''

CHECK = """
import sys
import condped
from condped.testing import Run, check_reader

runs = [Run([0.3], {"lr": 0.1}), Run([0.2], {"lr": 0.5})]
check_reader("mytool", sys.argv[1], runs, objective="loss")
print("passed")
"""


@pytest.fixture
def install(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """Return a function that lays out an installed package with one entry point."""

    def make(target: str) -> Path:
        folder = tmp_path / "site"
        info = folder / "condped_mytool-1.0.dist-info"
        info.mkdir(parents=True, exist_ok=True)
        (folder / "condped_mytool.py").write_text(MODULE, encoding="utf-8")
        (info / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: condped-mytool\nVersion: 1.0\n", encoding="utf-8"
        )
        (info / "entry_points.txt").write_text(
            f"[condped.readers]\nmytool = condped_mytool:{target}\n", encoding="utf-8"
        )
        return folder

    registry._installed.cache_clear()
    yield make
    registry._installed.cache_clear()


def test_a_reader_of_another_package_is_found_and_passes_the_kit(
    install: Callable[[str], Path], tmp_path: Path
) -> None:
    """In a process of its own, as a user would have it; ``condped sources`` lists it."""
    path = tmp_path / "run.mytool"
    path.write_text("0.3 lr=0.1\n0.2 lr=0.5\n", encoding="utf-8")
    environment = {"PYTHONPATH": str(install("reader"))}
    for command, expected in (
        (["-c", CHECK, str(path)], "passed"),
        (["-m", "condped", "sources"], "a log of mytool"),
        (["-m", "condped", "importance", str(path), "-o", "loss"], "lr"),
    ):
        done = subprocess.run(
            [sys.executable, *command], env=environment, capture_output=True, text=True, check=True
        )
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
        registry._installed.cache_clear()
        with pytest.raises(SourceError, match=message) as caught:
            condped.read("run.mytool")
        assert "'condped-mytool'" in str(caught.value)


def test_a_reader_can_be_chosen_by_name(tmp_path: Path) -> None:
    """For files whose ending says nothing; an unknown name gets a near match."""
    path = tmp_path / "trials.txt"
    path.write_text("loss,x\n1,2\n3,4\n", encoding="utf-8")
    with pytest.raises(SourceError, match="No reader recognises"):
        condped.read(path, objective="loss")
    assert condped.read(path, objective="loss", reader="csv").names == ("x",)
    with pytest.raises(NameNotFoundError, match="Did you mean 'csv'"):
        condped.read(path, objective="loss", reader="cvs")
