"""The examples of a page: blocks of Python, and commands in blocks of shell.

A page is one session in a directory of its own. Blocks run in the order in which they stand:

- ``python``: executed. A block that begins with a comment such as ``# mytool.py`` is a file: it is
  written into the directory, from which the session can import it.
- ``sh``: the lines that begin with ``condped`` are run. They have to end with 0, or with the number
  that a comment behind them names (``# exit code 3``). ``serve``, ``watch`` and ``mcp`` are started
  and interrupted.
- ``text output``: what the block before it prints. Every line has to be among what was printed;
  ``…`` stands for lines left out, at the end of a line for its rest.
- Everything else, such as ``text``, ``console`` and ``python no-run``, is only shown.

``<!-- files: study.db results.csv -->`` in a page says which of :data:`FILES` are put there first.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import condped

BIN = Path(sys.executable).parent
# Commands that go on until they are ended, and what tests add to them.
ENDLESS = {"serve": ["--no-open", "--port", "0"], "watch": [], "mcp": []}
_BLOCK = re.compile(r"^```(python|sh|text output)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILES = re.compile(r"<!-- files: (.*?) -->")
_FILE = re.compile(r"# (\w+\.py)\n")


def examples(page: str) -> list[tuple[str, str]]:
    """Return the language and the text of every block that runs."""
    return [
        (language, block)
        for language, block in _BLOCK.findall(page)
        if language != "sh" or commands(block)
    ]


def commands(block: str) -> list[str]:
    """Return the commands of a block, continued lines joined."""
    lines = block.replace("\\\n", " ").splitlines()
    return [line for line in lines if line.startswith("condped ")]


def run_page(name: str, page: str, folder: Path) -> None:
    """Run every example of a page in a directory, which has to be the current one."""
    for wanted in _FILES.findall(page):
        for file in wanted.split():
            FILES[file](folder)
    session: dict[str, Any] = {"__name__": "__main__"}
    printed = ""
    for language, block in examples(page):
        if language == "text output":
            check_output(block, printed)
        elif language == "sh":
            printed = "".join(run_command(command, folder) for command in commands(block))
        elif file := _FILE.match(block):
            (folder / file[1]).write_text(block, encoding="utf-8")
        else:
            with redirect_stdout(StringIO()) as output:
                exec(compile(block, name, "exec"), session)
            printed = output.getvalue()


def check_output(shown: str, printed: str) -> None:
    """Raise if a page shows a line that was not printed; spaces do not count."""
    lines = [" ".join(line.split()) for line in printed.splitlines()]
    for line in shown.splitlines():
        words = " ".join(line.split())
        start = words.removesuffix("…").rstrip()
        found = words in lines or (
            words.endswith("…") and any(line.startswith(start) for line in lines)
        )
        assert found or not start, f"Not printed: {line}\nPrinted:\n{printed}"


def run_command(command: str, folder: Path) -> str:
    """Return what a command prints; start and end it if it goes on by itself."""
    words = shlex.split(command, comments=True)
    if words[1] in ENDLESS and not {"--once", "--until"} & set(words):
        _start_and_end([str(BIN / "condped"), *words[1:], *ENDLESS[words[1]]], folder)
        return ""
    ends = re.search(r"#.*\bexit code (\d)", command)
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=os.environ | {"PATH": f"{BIN}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == int(ends[1] if ends else 0), f"{command}\n{done.stderr}"
    output = words[words.index("-o") + 1] if "-o" in words else None
    assert done.stdout if output is None else (folder / output).is_file(), command
    return done.stdout


def _start_and_end(command: list[str], folder: Path) -> None:
    """Run what goes on until it is interrupted, or until nobody talks to it."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=folder, stdin=pipe, stdout=pipe, text=True) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        if command[1] == "mcp":
            running.stdin.close()
        else:
            assert running.stdout.readline(), command
            running.send_signal(signal.SIGINT)
        assert running.wait(timeout=60) == (130 if command[1] == "watch" else 0), command


def _rows(seed: int) -> Iterator[list[str]]:
    """Return trials of a problem of the paper as lines of a table, with its head."""
    table = condped.problems.get("activation-disjoint").sample(200, seed=seed)
    loss = table.objectives[0].values
    yield ["c", "x", "y", "loss", "accuracy"]
    for row in range(len(table)):
        cells = [str(p.values[row]) if p.domain_ids[row] >= 0 else "" for p in table.parameters]
        yield [*cells, str(loss[row]), str(-loss[row])]


def _csv(folder: Path, name: str = "results.csv", seed: int = 0) -> None:
    (folder / name).write_text("\n".join(map(",".join, _rows(seed))), encoding="utf-8")


def _space(folder: Path) -> None:
    space = condped.problems.get("activation-disjoint").space.to_dict()
    (folder / "space.json").write_text(json.dumps(space), encoding="utf-8")


def _study(folder: Path) -> None:
    """Write a database of Optuna's with the study *tuning*: a conditional space, some failures."""
    import optuna  # noqa: PLC0415

    def objective(trial: optuna.Trial) -> float:
        if trial.suggest_categorical("model", ["svm", "network"]) == "svm":
            return 0.3 + abs(trial.suggest_float("C", 0.01, 100, log=True) - 1) / 1000
        rate = trial.suggest_float("learning_rate", 1e-4, 1, log=True)
        trial.suggest_float("dropout", 0, 0.5)
        if rate > 0.3:
            raise ValueError("The loss is not finite.")
        return float(rate**0.5)

    study = optuna.create_study(
        storage=f"sqlite:///{folder / 'study.db'}",
        study_name="tuning",
        sampler=optuna.samplers.RandomSampler(seed=0),
    )
    study.optimize(objective, n_trials=120, catch=(ValueError,))


def _runs(folder: Path) -> None:
    """Put the trials of results.csv into Parquet files."""
    from pyarrow import parquet  # noqa: PLC0415
    from pyarrow.csv import read_csv  # noqa: PLC0415

    _csv(folder)
    (folder / "runs").mkdir()
    rows = read_csv(folder / "results.csv")
    for part in (0, 1):
        parquet.write_table(rows.slice(100 * part, 100), folder / "runs" / f"{part}.parquet")


def _duckdb(folder: Path) -> None:
    """Put the trials of results.csv into the table *trials* of a DuckDB database."""
    import duckdb  # noqa: PLC0415

    _csv(folder)
    with duckdb.connect(str(folder / "runs.duckdb")) as database:
        database.execute("CREATE TABLE trials AS SELECT * FROM read_csv('results.csv')")


# What pages may ask for, and who writes it.
FILES: dict[str, Callable[[Path], None]] = {
    "results.csv": _csv,  # c, x if c < 0.5, y otherwise, loss, accuracy
    "space.json": _space,  # its space
    "before.csv": partial(_csv, name="before.csv", seed=1),  # other trials of the same problem
    "after.csv": partial(_csv, name="after.csv", seed=2),
    "latest.csv": partial(_csv, name="latest.csv", seed=3),
    "study.db": _study,  # model; C of svm; learning_rate and dropout of network, some fail
    "runs": _runs,
    "runs.duckdb": _duckdb,
}


if __name__ == "__main__":
    run_page(sys.argv[1], Path(sys.argv[1]).read_text(encoding="utf-8"), Path.cwd())
