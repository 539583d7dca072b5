"""The distributions hold what they should, and pass the checks of package indexes."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

import condped
from tests.package.conftest import ROOT

Distributions = tuple[Path, Path]


def checked(*command: str | Path) -> str:
    """Run a tool of this environment; its complaints are the test's."""
    done = subprocess.run(
        [Path(sys.executable).with_name(str(command[0])), *command[1:]],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_source_distribution_holds_what_git_has(distributions: Distributions) -> None:
    """All of it, tests and what they read included; and it stays small."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout: nothing to compare with")
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    known = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True)
    tracked = {name for name in known.stdout.splitlines() if (ROOT / name).exists()}
    with tarfile.open(distributions[0]) as archive:
        held = {member.name.partition("/")[2] for member in archive if member.isfile()}
    assert held - {"PKG-INFO"} == tracked
    assert distributions[0].stat().st_size < 12e6


def test_the_wheel_holds_the_package_and_its_manual(distributions: Distributions) -> None:
    """Every file of the package, the stub and the marker of types among them; no tests."""
    package = ROOT / "src"
    files = {str(path.relative_to(package)) for path in (package / "condped").rglob("*.*")}
    data = f"condped-{condped.__version__}.data/data/share/man/man1/condped.1"
    with zipfile.ZipFile(distributions[1]) as archive:
        held = set(archive.namelist())
    metadata = {name for name in held if ".dist-info/" in name}
    assert held - metadata == {f for f in files if "__pycache__" not in f} | {data}
    assert {"condped/py.typed", "condped/__init__.pyi"} < held
    assert f"condped-{condped.__version__}.dist-info/licenses/LICENSE" in metadata


def test_metadata_say_what_is_so(distributions: Distributions) -> None:
    """One version, the licence by its SPDX name, Python versions as classifiers say."""
    with zipfile.ZipFile(distributions[1]) as archive:
        name = f"condped-{condped.__version__}.dist-info/METADATA"
        data = message_from_bytes(archive.read(name))
    assert data["Version"] == condped.__version__
    assert (data["License-Expression"], data["License-File"]) == ("MIT", "LICENSE")
    versions = [
        entry.rpartition(" ")[2]
        for entry in data.get_all("Classifier", [])
        if entry.startswith("Programming Language :: Python :: 3.")
    ]
    assert data["Requires-Python"] == f">={versions[0]}"


def test_package_indexes_would_take_them(distributions: Distributions) -> None:
    """As twine and check-wheel-contents judge."""
    assert checked("twine", "check", "--strict", *distributions).count("PASSED") == 2
    assert "OK" in checked("check-wheel-contents", distributions[1])


def test_the_project_follows_the_guide() -> None:
    """Scientific Python's checks of a repository, and the schema of pyproject.toml."""
    pytest.importorskip("sp_repo_review", reason="the group package is NOT installed")
    checked("validate-pyproject", "pyproject.toml")
    checked("sp-repo-review", ".")
