"""Whoever builds a release gets the bytes that were published."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.package.conftest import ROOT

Digests: TypeAlias = dict[str, str]
# What a build could take from where it runs.
ELSEWHERE = {
    "PYTHONHASHSEED": "4711",
    "TZ": "Asia/Kathmandu",
    "LC_ALL": "C.UTF-8",
    "HOME": "/nonexistent",
}


def source_tree(folder: Path) -> Path:
    """Return the project's files elsewhere, as another person's git would put them there."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    known = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True)
    names = [name for name in known.stdout.split("\0") if name and (ROOT / name).is_file()]
    # Put there in another order, which is that of the directory on some file systems.
    for name in sorted(names, reverse=True):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, path)
        executable = 0o111 if os.access(ROOT / name, os.X_OK) else 0
        path.chmod((0o666 | executable) & ~0o077)
        os.utime(path, (1.7e9, 1.7e9))
    return folder


def built(project: Path, output: Path, kinds: list[str], surroundings: dict[str, str]) -> Digests:
    """Build distributions, and return the digest of each."""
    build = [sys.executable, "-m", "build", "--no-isolation", *kinds, "--outdir", str(output)]
    environment = os.environ | surroundings
    subprocess.run([*build, str(project)], check=True, capture_output=True, env=environment)
    return digests(output.iterdir())


def digests(paths: Iterable[Path]) -> Digests:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def test_two_builds_give_the_same_bytes(distributions: tuple[Path, Path], tmp_path: Path) -> None:
    """In another folder, by another person, at another time; the source distribution, too."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout: its files are not known")
    other = source_tree(tmp_path / "another place" / "condped")
    assert built(other, tmp_path / "dist", [], ELSEWHERE) == digests(distributions)
    moment = {"SOURCE_DATE_EPOCH": "1760000000"}
    wheels = [
        built(ROOT, tmp_path / "here", ["--wheel"], moment),
        built(other, tmp_path / "there", ["--wheel"], moment | ELSEWHERE),
    ]
    assert wheels[0] == wheels[1]
