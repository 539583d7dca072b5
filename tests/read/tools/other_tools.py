"""Tools with requirements of their own, which run in an environment beside the tests'.

``make other-tools`` makes it. Each program writes runs by its tool, and tells what they are.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ENVIRONMENT = Path(sys.prefix) / "other-tools"


def told_by(program: str, folder: Path, **variables: str) -> Any:
    """Run a program in the environment and return the JSON that it prints last."""
    python = ENVIRONMENT / "bin" / "python"
    if not python.is_file():
        message = f"{ENVIRONMENT} is missing: run make other-tools"
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
    done = subprocess.run(
        [str(python), "-W", "ignore", "-c", program, str(folder)],
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
        env={**os.environ, "PYTHONPATH": "", "OPENBLAS_NUM_THREADS": "1", **variables},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])
