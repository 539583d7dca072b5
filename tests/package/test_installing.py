"""How to add an extra is said for the way in which condped was installed."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from condped.installing import command_for

UV = Path(sys.executable).with_name("uv")
ASK = ["-c", "from condped.installing import command_for; print(command_for('plot'))"]


@pytest.fixture
def uv(tmp_path: Path) -> dict[str, str]:
    """Return what makes uv install the wheel alone, without a network."""
    if not UV.exists():
        pytest.skip("uv is NOT installed: nothing to install with")
    override = tmp_path / "override.txt"
    names = ("numpy", "narwhals", "click", "matplotlib")
    override.write_text("".join(f"{name}; python_version < '3'\n" for name in names))
    return {
        **{name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        "UV_OVERRIDE": str(override),
        "UV_OFFLINE": "1",
        "UV_NO_INDEX": "1",
        "UV_CACHE_DIR": str(tmp_path / "cache"),
        "UV_TOOL_DIR": str(tmp_path / "tools"),
        "UV_TOOL_BIN_DIR": str(tmp_path / "bin"),
        "UV_PYTHON": sys.executable,
    }


def said(*command: str | Path, environment: dict[str, str]) -> str:
    """Return what a command prints."""
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_uv_users_are_told_what_uv_takes(
    uv: dict[str, str], distributions: tuple[Path, Path], tmp_path: Path
) -> None:
    """The real uv: for one run, as a tool, in an environment, and for a script."""
    wheel = distributions[1]
    once = said(UV, "tool", "run", "--from", wheel, "python", *ASK, environment=uv)
    # No index has this wheel, so its name alone would not be found.
    assert once == f"uvx --from 'condped[plot] @ {wheel.as_uri()}' condped ..."
    told = shlex.split(once)[2]
    assert said(UV, "tool", "run", "--from", told, "python", *ASK, environment=uv) == once
    said(UV, "tool", "install", wheel, environment=uv)
    tool = said(tmp_path / "tools" / "condped" / "bin" / "python", *ASK, environment=uv)
    assert tool == f"uv tool install 'condped[plot] @ {wheel.as_uri()}'"
    said(UV, "venv", tmp_path / "own", environment=uv)
    assert command_for("plot", tmp_path / "own") == "uv pip install 'condped[plot]'"
    said(UV, "venv", tmp_path / "builds-v0" / "x", environment=uv)  # where `uv run --with` has them
    assert command_for("plot", tmp_path / "builds-v0" / "x") == "uv run --with 'condped[plot]' ..."


def test_pipx_users_are_told_what_pipx_takes(tmp_path: Path) -> None:
    """It keeps applications in venvs, and those of one run in its cache."""
    for parent, command in (
        ("venvs", "pipx install --force 'condped[plot]'"),
        (".cache", "pipx run --spec 'condped[plot]' condped ..."),
    ):
        prefix = tmp_path / parent / "condped"
        record = prefix / "lib/python3.11/site-packages/condped-0.1.0.dist-info/direct_url.json"
        record.parent.mkdir(parents=True)
        (prefix / "pipx_metadata.json").write_text("{}")
        assert command_for("plot", prefix) == command
        record.write_text('{"url": "file:///home/me/condped", "dir_info": {}}')
        elsewhere = command.replace("[plot]", "[plot] @ file:///home/me/condped")
        assert command_for("plot", prefix) == elsewhere
        record.write_text(
            '{"url": "https://host/condped", "vcs_info": {"vcs": "git", "commit_id": "abc"}}'
        )
        commit = command.replace("[plot]", "[plot] @ git+https://host/condped@abc")
        assert command_for("plot", prefix) == commit
        for damaged in ("", "[]", '{"vcs_info": {}}', "null"):
            record.write_text(damaged)
            assert command_for("plot", prefix) == command


def test_everybody_else_has_pip(tmp_path: Path) -> None:
    """In an environment of Python's own, in conda's, in none."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "own"], check=True)
    assert command_for("plot", tmp_path / "own") == "pip install 'condped[plot]'"
    (tmp_path / "conda" / "conda-meta").mkdir(parents=True)
    assert command_for("plot", tmp_path / "conda") == "pip install 'condped[plot]'"
