"""Studies in SQLite files and journals that go on, vanish and come back."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import optuna
import pytest

import condped
from condped.errors import CondpedError, DataError, NameNotFoundError, SettingsError
from condped.read.optuna import sqlite
from condped.read.optuna.journals import replay
from condped.read.optuna.sql import followed as sql_followed
from condped.read.optuna.sql import study as sql_study
from tests.optuna_version import constrain
from tests.read.follow.same import assert_same_as_read
from tests.read.follow.worker import storage_at
from tests.read.optuna.studies import conditional, run

pytestmark = pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")


@pytest.fixture(params=["sqlite", "journal"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a study is."""
    sqlite = request.param == "sqlite"
    return f"sqlite:///{tmp_path}/study.db" if sqlite else str(tmp_path / "journal.log")


def test_trials_that_run_wait_and_end_are_followed(place: str) -> None:
    """Parameters of a running trial, enqueued ones, and late ends arrive, each once."""
    study = optuna.create_study(study_name="a", storage=storage_at(place))
    followed = condped.follow(place)
    assert (followed.finished, followed.running, followed.update()) == (0, 0, False)

    def check(changed: bool = True) -> None:
        assert followed.update() == changed
        assert_same_as_read(followed, place)
        assert not followed.update()

    early, late = study.ask(), study.ask()
    check()
    late.suggest_float("late first", 0, 1)
    late.suggest_int("n", 1, 8)
    check()
    early.suggest_int("n", 1, 4)  # another domain, and in an earlier trial
    early.suggest_float("early", 0, 1)
    check()
    run(study, 12)
    check()
    for number in range(3):
        study.enqueue_trial({"n_läyers": number + 1})
    check()
    study.tell(late, 0.5)
    check()
    run(study, 7)
    check()
    constrain(early, "earlier than all others", 1.0)
    study.tell(early, state=optuna.trial.TrialState.PRUNED)
    check()
    study.set_metric_names(["error"])
    check()
    assert followed.table.objectives[0].name == "error"
    study.add_trial(optuna.trial.create_trial(
        params={"n": 3}, distributions={"n": optuna.distributions.IntDistribution(1, 8)}, value=2.0
    ))  # fmt: skip
    check()


def test_a_table_stays_as_it_was(place: str) -> None:
    """What an earlier update gave does not change when trials go on."""
    study = optuna.create_study(study_name="a", storage=storage_at(place))
    run(study, 10)
    waiting = study.ask()
    followed = condped.follow(place)
    before, expected = followed.table, condped.read(place)
    study._storage.set_trial_system_attr(waiting._trial_id, "grid_id", 1)
    study.tell(waiting, 1.0)
    run(study, 5)
    assert followed.update()
    assert len(before) == len(expected) == 11
    assert before.drawing is not None
    assert expected.drawing is not None
    assert before.drawing.samplers == expected.drawing.samplers
    assert before.states.tolist() == expected.states.tolist()


@pytest.mark.parametrize(
    "reading",
    [
        {"where": "n_läyers > 1"},
        {"parameters": ["dropout", "learner; DROP TABLE trials"]},
        {"ignore": ["dropout"], "failure_values": [3.0]},
        {"objective": "seconds; --"},
        {"objective": "user_attrs_seconds; --", "direction": "maximize"},
        {"objective": "intermediate_values_3"},
        {"objective": "duration"},
        {"objective": 0, "outside": "nearest"},
    ],
)
def test_reading_options_are_those_of_read(reading: dict[str, Any], place: str) -> None:
    """Whatever is asked for, a followed table is the one that read gives."""
    study = optuna.create_study(study_name="a", storage=storage_at(place))
    run(study, 30)
    followed = condped.follow(place, **reading)
    for _ in range(4):
        run(study, 6)
        assert followed.update()
        assert_same_as_read(followed, place, **reading)


def test_large_studies_are_followed_without_how_they_were_drawn(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As they are read: up to some number of trials, and not beyond it."""
    for module in (sql_study, sql_followed, replay):
        monkeypatch.setattr(module, "MOST_RECORDED", 20)
    study = optuna.create_study(study_name="a", storage=storage_at(place))
    followed = condped.follow(place)
    for _ in range(4):
        run(study, 9)
        followed.update()
        assert_same_as_read(followed, place)
    assert followed.table.drawing is None


def test_many_trials_are_read_in_several_transactions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that writers need not wait for long; the table is the same."""
    monkeypatch.setattr(sql_followed, "_AT_ONCE", 4)
    url = f"sqlite:///{tmp_path}/study.db"
    study = optuna.create_study(study_name="a", storage=url)
    open_one = study.ask()
    for trials in (23, 4, 8, 1):
        run(study, trials)
        if trials == 23:
            followed = condped.follow(url)
        else:
            assert followed.update()
        assert_same_as_read(followed, url)
        assert not followed.update()
        study.enqueue_trial({"n_läyers": 3})
    study.tell(open_one, 1.0)
    assert followed.update()
    assert_same_as_read(followed, url)
    run(study, 5)  # one is waiting, and four are new
    opened = sqlite._database
    times: list[Any] = []

    def locked_the_second_time(*given: Any, **named: Any) -> Any:
        times.append(given)
        if len(times) == 2:
            raise DataError("The database is locked.")
        return opened(*given, **named)

    monkeypatch.setattr(sqlite, "_database", locked_the_second_time)
    with pytest.raises(DataError, match="locked"):
        followed.update()
    assert followed.update()  # though there is no more to read than the first part
    assert_same_as_read(followed, url)


def test_a_study_must_exist(place: str) -> None:
    """When it is first read; one of several must be named."""
    storage = storage_at(place)
    optuna.create_study(study_name="a", storage=storage)
    with pytest.raises(NameNotFoundError, match="no study 'b'"):
        condped.follow(place, study="b")
    followed = condped.follow(place)
    optuna.create_study(study_name="b", storage=storage)
    with pytest.raises(SettingsError, match="holds 2 studies"):
        followed.update()
    optuna.delete_study(study_name="b", storage=storage)
    assert not len(followed.table)
    followed.update()
    assert condped.follow(place, study="a").finished == 0


def test_a_study_that_is_deleted_and_made_again_is_another_one(place: str) -> None:
    """SQLite gives its numbers and those of its trials to the new one."""
    storage = storage_at(place)
    first = optuna.create_study(study_name="a", storage=storage)
    run(first, 15)
    followed = condped.follow(place, study="a")
    unnoticed = condped.follow(place, study="a")
    optuna.delete_study(study_name="a", storage=storage)
    with pytest.raises(CondpedError):
        followed.update()
    assert len(followed.table) == 15
    second = optuna.create_study(study_name="a", storage=storage)
    for trials in (15, 5):
        second.optimize(lambda trial: trial.suggest_float("other", 0, 2), n_trials=trials)
        for one in (followed, unnoticed):
            assert one.update()
            assert_same_as_read(one, place, study="a")
    assert followed.table.names == ("other",)


def test_only_what_is_new_is_fetched(place: str) -> None:
    """Rows and lines do not depend on the trials that have ended, old zombies or not."""
    study = optuna.create_study(
        study_name="a", storage=storage_at(place), sampler=optuna.samplers.RandomSampler()
    )
    study.ask()
    fetched = []
    followed = condped.follow(place)
    for trials in (20, 80):
        study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=trials)
        followed.update()
        study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=2)
        assert followed.update()
        fetched.append(followed.fetched)
        assert not followed.update()
        fetched.append(followed.fetched)
    assert fetched[:2] == fetched[2:]
    assert fetched[0] < 30


def test_a_locked_database_is_read_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While somebody holds it, an update raises and keeps the table; the next one has all."""
    monkeypatch.setattr(sqlite, "_PATIENCE", 0.05)
    url = f"sqlite:///{tmp_path}/study.db"
    study = optuna.create_study(study_name="a", storage=url)
    run(study, 5)
    followed = condped.follow(url)
    run(study, 5)
    with sqlite3.connect(tmp_path / "study.db", isolation_level=None) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        for _ in range(2):
            with pytest.raises(CondpedError, match="locked"):
                followed.update()
        assert len(followed.table) == 5
        holder.execute("COMMIT")
    holder.close()
    assert followed.update()
    assert_same_as_read(followed, url)


def test_a_writer_need_not_wait_between_updates(tmp_path: Path) -> None:
    """A followed database is not held open: others may lock it, and even remove it."""
    url = f"sqlite:///{tmp_path}/study.db"
    optuna.create_study(study_name="a", storage=url)
    followed = condped.follow(url)
    followed.update()
    with sqlite3.connect(tmp_path / "study.db", timeout=0, isolation_level=None) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        writer.execute("COMMIT")
    writer.close()
    (tmp_path / "study.db").unlink()
    with pytest.raises(CondpedError, match="no file"):
        followed.update()


def _truncated(journal: Path) -> None:
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:30]))


def _replaced(journal: Path) -> None:
    whole = journal.read_bytes().replace(b'"study_name": "a"', b'"study_name": "a", "x": 1')
    journal.with_suffix(".new").write_bytes(whole)
    journal.with_suffix(".new").replace(journal)


def _written_over(journal: Path) -> None:
    whole = journal.read_bytes()
    journal.write_bytes(whole.replace(b'"worker_id": "', b'"worker_id": "other ') + whole[-500:])


@pytest.mark.parametrize("change", [_truncated, _replaced, _written_over])
def test_another_file_in_place_of_a_journal_is_read_from_the_start(
    change: Callable[[Path], None], tmp_path: Path
) -> None:
    """Whether it was cut, replaced or written over."""
    journal = tmp_path / "journal.log"
    study = optuna.create_study(study_name="a", storage=storage_at(str(journal)))
    study.optimize(conditional, n_trials=20, catch=(ArithmeticError,))
    followed = condped.follow(journal)
    change(journal)
    if change is _written_over:  # its last line is cut off at the front
        with pytest.raises(CondpedError, match="is not an operation"):
            followed.update()
        assert len(followed.table) == 20
        _truncated(journal)
    assert followed.update()
    assert_same_as_read(followed, journal)


def _append(journal: Path, written: bytes) -> None:
    with journal.open("ab") as file:
        file.write(written)


def test_half_a_line_of_a_journal_is_left_for_the_next_time(tmp_path: Path) -> None:
    """However it is cut; a line that is damaged for good raises until it is skipped."""
    whole = tmp_path / "whole.log"
    study = optuna.create_study(study_name="a", storage=storage_at(str(whole)))
    study.optimize(conditional, n_trials=6, catch=(ArithmeticError,))
    written = whole.read_bytes()
    journal = tmp_path / "journal.log"
    lines = written.splitlines(keepends=True)
    start = len(lines[0]) + 5
    journal.write_bytes(written[:start])
    followed = condped.follow(journal)
    for end in (*range(start, len(written), 57), len(written)):
        _append(journal, written[journal.stat().st_size : end])
        followed.update()
    assert_same_as_read(followed, journal)
    skipping = condped.follow(journal, skip_corrupt=True)
    _append(journal, b'{"op_code": 8, "damaged\n')
    with pytest.raises(CondpedError, match="is not an operation"):
        followed.update()
    study.optimize(conditional, n_trials=3, catch=(ArithmeticError,))
    _append(journal, whole.read_bytes()[len(written) :])
    with pytest.raises(CondpedError, match="is not an operation"):
        followed.update()
    assert skipping.update()
    assert_same_as_read(skipping, journal, skip_corrupt=True)
    assert (len(followed.table), len(skipping.table)) == (6, 9)
