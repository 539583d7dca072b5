"""Ctrl-C ends every command with 130 and without a traceback; so does a reader that goes away."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.command import CONDPED

# Runs a command that interrupts itself at a share of the functions that it calls, counted from
# where condped begins to be imported.
INTERRUPTED = """
import os, signal, sys
at, sys.argv = int(sys.argv[1]), ["condped", *sys.argv[2:]]
calls, begun = 0, False
def count(frame, event, _):
    global calls, begun
    begun = begun or (event == "return" and frame.f_code.co_name == "begin_command")
    calls += begun and event in ("call", "c_call")
    if begun and calls == at:
        sys.setprofile(None)
        os.kill(os.getpid(), signal.SIGINT)
sys.setprofile(count)
from condped.cli import main
try:
    main()
finally:
    sys.setprofile(None)
    if calls < at:
        print(calls, file=sys.stderr)
"""


def run(at: int, arguments: Sequence[str | Path]) -> subprocess.CompletedProcess[str]:
    """Run a command up to a call; one after the last: to its end, and tell how many there are."""
    command = [sys.executable, "-c", INTERRUPTED, str(at), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, check=False, text=True, timeout=120)


def test_an_interrupt_at_any_time_ends_with_130(tmp_path: Path) -> None:
    """In imports, while reading, counting, testing and writing; files are old or new."""
    table, out = tmp_path / "t.csv", tmp_path / "out" / "r.csv"
    rows = "".join(f"{n * 7 % 31},{n * 3 % 17}\n" for n in range(40))
    table.write_text(f"loss,x\n{rows}")
    out.parent.mkdir()
    asked: list[str | Path] = ["importance", table, "--objective", "loss", "-o", out]
    calls = int(run(10**12, asked).stderr.split()[-1])
    new = out.read_text("utf-8")
    for share in (0.0005, 0.1, 0.5, 0.9, 0.998):
        out.write_text("old")
        done = run(max(1, round(calls * share)), asked)
        assert done.returncode == 130, share
        assert done.stderr.strip() in ("", "condped: Interrupted."), share
        assert out.read_text("utf-8") in ("old", new)
        assert len(list(out.parent.iterdir())) == 1


def test_a_program_that_imports_condped_handles_interrupts_itself() -> None:
    """Only the command line ends at once."""
    code = (
        "import os, signal, condped\n"
        "try:\n    os.kill(os.getpid(), signal.SIGINT)\n    condped.read\n"
        "except KeyboardInterrupt:\n    print('caught')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "caught\n"


@pytest.mark.parametrize("ignored", [True, False])
def test_a_command_in_the_background_of_a_script_goes_on(ignored: bool) -> None:
    """Shells let such commands ignore interrupts; nobody may undo that."""
    handler = "signal.SIG_IGN" if ignored else "signal.default_int_handler"
    code = (
        f"import os, signal, sys\nsignal.signal(signal.SIGINT, {handler})\n"
        "sys.argv = ['condped', 'sources', '--csv']\n"
        "from condped.cli import app, main\nimport condped\n"
        "before = condped.sources\n"
        "def interrupted(**options):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    return before(**options)\n"
        "condped.sources = interrupted\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == (0 if ignored else 130)
    assert done.stderr.strip() == ("" if ignored else "condped: Interrupted.")


@pytest.mark.parametrize(
    ("closed", "arguments", "code"),
    [
        ("stdout", ["sources", "--json"], 1),
        ("stderr", ["importance", "no-such-file.csv"], 2),
        ("both", ["--bad"], 2),
        ("none at all", ["sources"], 0),
    ],
)
def test_nobody_who_listens_is_no_error(closed: str, arguments: list[str], code: int) -> None:
    """A pipe that is closed, or no stream at all; what can be said is said elsewhere."""
    read, write = os.pipe()
    os.close(read)
    streams = {
        name: write if closed in (name, "both") else subprocess.PIPE
        for name in ("stdout", "stderr")
    }
    command: list[str] = [CONDPED, *arguments]
    if closed == "none at all":
        command = ["sh", "-c", '"$@" >&- 2>&-', "sh", *command]
    done = subprocess.run(command, **streams, check=False, text=True, timeout=60)  # type: ignore[call-overload]
    os.close(write)
    assert done.returncode == code
    for told in (done.stdout, done.stderr):
        assert "Traceback" not in (told or "")
        assert "Exception" not in (told or "")


def test_an_interrupt_where_python_ignores_exceptions_counts() -> None:
    """As in a finalizer, which may run at any time."""
    code = (
        "import os, signal, sys, time\n"
        "sys.argv = ['condped', 'sources', '--csv']\n"
        "from condped.cli import app, main\nimport condped\n"
        "class Dies:\n"
        "    def __del__(self):\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "def interrupted(**options):\n"
        "    Dies()\n"
        "    time.sleep(20)\n"
        "condped.sources = interrupted\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "\ncondped: Interrupted.\n")


@pytest.mark.parametrize("instead", ["pass", "raise ImportError('half')"])
def test_an_interrupt_that_a_library_swallows_counts(instead: str) -> None:
    """As pyarrow does while it imports pandas; or it makes another error of it."""
    code = (
        "import os, signal, sys\n"
        "sys.argv = ['condped', 'sources', '--csv']\n"
        "from condped.cli import app, main\nimport condped\n"
        "before = condped.sources\n"
        "def interrupted(**options):\n"
        "    try:\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "        before()\n"
        "    except BaseException:\n"
        f"        {instead}\n"
        "    return before(**options)\n"
        "condped.sources = interrupted\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "\ncondped: Interrupted.\n"


def test_waiting_for_a_writer_ends_with_an_interrupt(tmp_path: Path) -> None:
    """Of an SQLite file, for which condped waits longer than this test does."""
    path = tmp_path / "study.db"
    code = (
        "import os, signal, sys, threading\n"
        f"sys.argv = ['condped', 'importance', {str(path)!r}]\n"
        "from condped.cli import main\nimport condped\ncondped.importance\n"
        "threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "main()\n"
    )
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("CREATE TABLE studies (study_id INTEGER)")
        writer.execute("BEGIN EXCLUSIVE")
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=25
        )
    assert (done.returncode, done.stderr) == (130, "\ncondped: Interrupted.\n")


def test_an_interrupt_while_python_ends_is_quiet(tmp_path: Path) -> None:
    """Another thread may still be at work then."""
    code = (
        "import os, signal, sys, threading, time\n"
        "sys.argv = ['condped', 'sources', '--csv']\n"
        "from condped.cli import main\n"
        "def late():\n"
        "    threading.main_thread().join()\n"
        "    while True:\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "        time.sleep(0.1)\n"
        "threading.Thread(target=late).start()\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=50
    )
    assert (done.returncode, done.stderr) == (130, "")
