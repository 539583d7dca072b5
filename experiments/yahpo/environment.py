"""An environment of its own for YAHPO Gym, which needs numpy 1 and ConfigSpace 0."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from condped.errors import CondpedError, SettingsError

# The last versions that work together; Parquet is written outside, as pyarrow needs numpy 2.
REQUIREMENTS = (
    "yahpo_gym==1.0.2",
    "ConfigSpace==0.6.1",
    "numpy==1.26.4",
    "pandas==2.2.3",
    "onnxruntime==1.20.1",
)
NEWEST_PYTHON = (3, 12)  # the last that numpy 1 has wheels for
_MARK = "condped-yahpo.txt"


class PreparationError(CondpedError):
    """An environment that could not be made."""


def prepare(folder: Path, python: str = sys.executable) -> Path:
    """Return the interpreter of the environment, creating it if needed.

    An environment made with the same requirements is used as it is. Any other folder that is not
    empty is left alone, and an error raised.
    """
    interpreter = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    mark, wanted = folder / _MARK, "\n".join(REQUIREMENTS) + "\n"
    if mark.is_file() and mark.read_text(encoding="utf-8") == wanted:
        return interpreter
    if folder.is_dir() and any(folder.iterdir()) and not mark.is_file():
        raise SettingsError(
            f"environment must be a new folder, or one that this script made (got {folder}, which "
            "holds something else). Name another."
        )
    _check_version(python)
    # An environment with other requirements is created anew, not updated.
    _run([python, "-m", "venv", "--clear", str(folder)], "venv could not make an environment")
    install = [str(interpreter), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _run([*install, *REQUIREMENTS], "pip could not install YAHPO Gym")
    mark.write_text(wanted, encoding="utf-8")
    return interpreter


def _check_version(python: str) -> None:
    code = "import sys; print(*sys.version_info[:2])"
    said = _run([python, "-c", code], f"{python} could not be run")
    version = tuple(int(part) for part in said.split())
    if version > NEWEST_PYTHON:
        raise SettingsError(
            f"YAHPO Gym needs numpy 1, which has no build for Python {version[0]}.{version[1]}. "
            "Name an older one, 3.9 to 3.12, with --python."
        )


def _run(command: list[str], complaint: str) -> str:
    """Run a command and return what it printed; raise if it fails, with the reason."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise PreparationError(f"{complaint}: {error}.") from error
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines() or ["no message"]
        raise PreparationError(f"{complaint}: {lines[-1]}")
    return done.stdout
