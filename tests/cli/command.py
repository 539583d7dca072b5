"""``condped`` with arguments: in a process of its own, or, much faster, in this one."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from condped.cli import main

CONDPED = str(Path(sys.executable).with_name("condped"))
Done = subprocess.CompletedProcess[str]


def condped_process(*arguments: str | Path, environment: dict[str, str] | None = None) -> Done:
    """Run the installed command."""
    return subprocess.run(
        [CONDPED, *map(str, arguments)],
        capture_output=True,
        check=False,
        encoding="utf-8",
        env={**os.environ, **(environment or {})},
        timeout=60,
    )


def condped_command(*arguments: str | Path, columns: int | None = None) -> Done:
    """Call the command's function; with ``columns`` its streams say that they are a terminal."""
    command = ["condped", *map(str, arguments)]
    out, error = _Stream(columns), _Stream(columns)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("argv", command), ("stdout", out), ("stderr", error)):
            patch.setattr(sys, name, value)
        if columns is not None:
            patch.setenv("COLUMNS", str(columns))
        with pytest.raises(SystemExit) as ended:
            main()
    assert isinstance(ended.value.code, int)
    return Done(command, ended.value.code, out.text(), error.text())


class _Stream(io.TextIOWrapper):
    """A stream that keeps what is written."""

    def __init__(self, columns: int | None) -> None:
        self.bytes = io.BytesIO()
        self.columns = columns
        super().__init__(self.bytes, encoding="utf-8")

    def isatty(self) -> bool:
        return self.columns is not None

    def text(self) -> str:
        self.flush()
        return self.bytes.getvalue().decode()
