"""Optuna's storages on the command line, and the list of what can be read."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import optuna

import condped
from condped.read.registry import readers
from tests.cli.command import condped_command, condped_process
from tests.cli.terminal import on_a_terminal


def test_a_study_in_sqlite_is_analysed_by_its_url(tmp_path: Path) -> None:
    """URL and study name on the command line give what Python gives."""
    url = f"sqlite:///{tmp_path}/study.db"
    problem = condped.problems.get("three-way")
    for name in ("one", "two"):
        optuna.create_study(
            storage=url, study_name=name, sampler=optuna.samplers.RandomSampler(seed=0)
        ).optimize(problem.objective, n_trials=40)
    done = condped_command("importance", url, "--study", "two", "--json")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    expected = condped.importance(optuna.load_study(study_name="two", storage=url)).to_dict()
    assert {p["parameter"]: p["importance"] for p in data["parameters"]} == expected
    without = condped_command("importance", url)
    assert without.returncode == 2
    assert "on the command line --study ('one', 'two')" in without.stderr


def test_sources_lists_every_reader() -> None:
    """Name, description and the extra that is needed, in lines that fit."""
    done = condped_command("sources")
    assert done.returncode == 0
    assert max(map(len, done.stdout.splitlines())) <= 100
    listed = " ".join(done.stdout.split())
    for reader in readers():
        assert f"{reader.name} {reader.description}" in listed
    assert "[condped[parquet], installed]" in done.stdout


def test_sources_lists_databases_and_clusters() -> None:
    """What is counted without a reader, by what a user would look for, and its extra."""
    kinds = [kind for kind in condped.sources().kinds if kind.reader is None]
    assert {kind.extra for kind in kinds} == {"ibis", "spark", "ray"}
    listed = " ".join(condped_command("sources").stdout.split())
    for word in ("Ibis", ".duckdb", "postgres://", "condped.LongTable", "Spark", "Ray Data"):
        assert word in " ".join(kind.description for kind in kinds)
    for kind in kinds:
        assert f"– {kind.description} [condped[{kind.extra}], installed]" in listed
    words = {
        "COMP_WORDS": "condped importance --reader ",
        "COMP_CWORD": "3",
        "_CONDPED_COMPLETE": "bash_complete",
    }
    offered = condped_process(environment=words).stdout.split()
    assert sorted(offered) == sorted(f"plain,{reader.name}" for reader in readers())


def test_sources_names_the_extra_that_is_missing() -> None:
    """A reader whose library is not there says how to get it."""
    program = (
        "import sys; "
        "import importlib.util as u; find = u.find_spec; "
        "u.find_spec = lambda n: None if n == 'psycopg' else find(n); "
        "from condped.cli import main; sys.argv = ['condped', 'sources']; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert "[needs: pip install 'condped[postgresql]']" in done.stdout


SLOW = """
import sys, time
import condped.cli.output as shown
from condped.progress import report
with shown.progress_bar():
    for done in range(1, 31):
        time.sleep(float(sys.argv[1]))
        report("Reading a very long name " * 3, done, 30)
print("the result")
"""


def test_a_progress_bar_shows_after_a_second_on_a_terminal_only() -> None:
    """It is wiped at the end; quick work, pipes and files never see it."""
    slow = on_a_terminal([sys.executable, "-c", SLOW, "0.05"])
    assert "█" in slow
    shares = [int(share) for share in re.findall(r"(\d+)%", slow)]
    assert shares == sorted(shares)
    assert shares[-1] >= 90
    assert slow.endswith("\r\x1b[Kthe result\r\n")
    assert on_a_terminal([sys.executable, "-c", SLOW, "0.001"]) == "the result\r\n"
    piped = subprocess.run(
        [sys.executable, "-c", SLOW, "0.05"], capture_output=True, text=True, check=True
    )
    assert (piped.stdout, piped.stderr) == ("the result\n", "")


def test_the_bar_is_gone_before_the_result_is_printed(tmp_path: Path) -> None:
    """By the real commands, with no patience; the result begins on a line of its own."""
    path = tmp_path / "many.csv"
    path.write_text(
        "loss,x\n" + "".join(f"{n % 97},{n % 89}\n" for n in range(50_000)), encoding="utf-8"
    )
    for command in ("importance", "sweep"):
        program = (
            "import sys, condped.cli.output as shown; shown._PATIENCE = shown._BETWEEN = 0; "
            "from condped.cli import main; "
            f"sys.argv = ['condped', {command!r}, {str(path)!r}, '--objective', 'loss']; main()"
        )
        told = on_a_terminal([sys.executable, "-c", program])
        before, sign, after = told.partition("What mattered")
        assert "█" in before
        assert before.endswith("\r\x1b[K")
        assert sign
        assert "\x1b[K" not in after
