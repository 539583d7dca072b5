"""A short part of `make faults`: seconds of it, and its tables."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import optuna
import pytest

import condped
from fuzz.faults.oracle import Oracle, as_optuna_has_it, trials_of
from fuzz.faults.page import BEGIN, BETWEEN, END, faults_table, writers_table
from fuzz.faults.processes import begin, ended, marked
from fuzz.faults.storages import loaded, opened, places
from fuzz.faults.studies import filled

ROOT = Path(__file__).parents[2]
FILES = ("SQLite with WAL", "journal file")


@pytest.fixture(autouse=True)
def _quiet() -> None:
    optuna.logging.set_verbosity(optuna.logging.ERROR)


@pytest.mark.parametrize("kind", FILES)
def test_two_writers_are_read_as_they_were(kind: str) -> None:
    """Every read is a state that existed, the last one what Optuna reads; nothing is left."""
    with places([kind]) as (place,), marked() as own:
        place.create()
        oracle = Oracle()
        writing = [
            own.ready("fuzz.faults.writer", place.source, str(number), "0.5", "0")
            for number in range(2)
        ]
        followed = condped.follow(place.source)
        for one in writing:
            begin(one)
        while any(one.poll() is None for one in writing):
            oracle.check(condped.read(place.source))
            followed.update()
        errors = [json.loads(one.communicate()[0])["errors"] for one in writing]
        followed.update()
        expected = as_optuna_has_it(loaded(place.source))
        assert trials_of(condped.read(place.source)) == trials_of(followed.table) == expected
        assert (oracle.wrong, errors, own.left()) == ([], [[], []], [])
        assert oracle.reads > 1
        assert oracle.ended > 1


def test_the_oracle_sees_what_is_lost_and_changed(tmp_path: Path) -> None:
    """It is not blind: a trial that is gone, or has another value, is told."""
    study = optuna.create_study(study_name="study", storage=opened(str(tmp_path / "a.log")))
    filled(str(tmp_path / "a.log"), 6)
    whole = condped.read(study)
    for rows in ([0, 1, 2, 3, 5], [0, 2, 1, 3, 4, 5]):
        oracle = Oracle()
        oracle.check(whole)
        assert oracle.wrong == []
        fewer = optuna.create_study()
        for row in rows:
            fewer.add_trial(study.trials[row])
        oracle.check(condped.read(fewer))
        assert oracle.wrong != []


@pytest.mark.skipif(os.name != "posix", reason="there are no signals")
def test_what_is_killed_or_wrong_is_told_apart(tmp_path: Path) -> None:
    """Ends of processes are judged by what they are."""
    (tmp_path / "t.csv").write_text("x,loss\n1,2\n2,3\n")
    with marked() as own:
        asked = own.start("condped", "importance", str(tmp_path / "none.csv"))
        killed = own.start("fuzz.faults.writer", str(tmp_path), "0", "60", "1")
        killed.send_signal(signal.SIGKILL)
        untyped = own.start("fuzz.faults.writer", str(tmp_path / "none.log"), "0", "60", "1")
        assert [ended(one).kind for one in (asked, killed, untyped)] == [
            "error",
            "killed",
            "untyped",
        ]


def test_the_page_shows_what_was_seen() -> None:
    """The stored campaign, without anything that must not be."""
    stored = json.loads((ROOT / "fuzz" / "faults.json").read_text(encoding="utf-8"))
    page = (ROOT / "docs" / "trust" / "faults.md").read_text(encoding="utf-8")
    for mark, table in (
        (BEGIN, faults_table(stored["faults"])),
        (BETWEEN, writers_table(stored["writers"])),
    ):
        assert page.partition(mark)[2].partition(END)[0] == table
    assert [row["wrong"] for row in stored["faults"] if row["wrong"]] == []
    assert stored["writers"]["minutes"] >= 10
    rows = stored["writers"]["storages"]
    reads = sum(row[how]["reads"] for row in rows for how in ("reading", "following"))
    assert f"{reads:,} reads and updates" in page
    for row in rows:
        both = [row["reading"], row["following"]]
        assert [row["wrong"], row["left"], row["connections"]] == [[], [], 0]
        assert [one["wrong"] + one["errors"] for one in both] == [[], []]
        assert row["writers"]["errors_beside"] == []
