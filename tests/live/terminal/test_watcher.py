"""The threads that follow a study, without a terminal."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import optuna
import pytest
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend

import condped
from condped.errors import NameNotFoundError
from condped.live.terminal.snapshot import Snapshot
from condped.live.terminal.watcher import Watcher
from tests.live.terminal.session import PATIENCE
from tests.live.terminal.studies import objective, storage, url_of, write_trials

__all__ = ["storage"]


@contextmanager
def _watching(source: str, **options: str) -> Iterator[Watcher]:
    watcher = Watcher(source, options, every=0.05)
    watcher.start()
    try:
        yield watcher
    finally:
        watcher.stop()


def _wait(watcher: Watcher, condition: Callable[[Snapshot], bool]) -> Snapshot:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if condition(watcher.snapshot):
            return watcher.snapshot
        time.sleep(0.01)
    raise AssertionError(f"not seen in time: {watcher.snapshot}")


def test_one_look_has_the_numbers_of_a_full_reading(storage: str) -> None:
    """Numbers of all trials, and verdicts and forecast of those up to the last scheduled look."""
    snapshot = Watcher(storage, {"study": "s", "target_quantile": 0.2}).once()
    table = condped.read(storage)
    assert snapshot.finished == 45
    assert snapshot.result == condped.importance(table, target_quantile=0.2)
    assert snapshot.summary == condped.summary(table)
    assert snapshot.verdicts is not None
    assert snapshot.verdicts.trials == 40
    tested = condped.importance(table.first(40), target_quantile=0.2, looks="repeated")
    assert snapshot.verdicts.result.evidence == tested.evidence
    assert snapshot.verdicts.forecast == tested.forecast()
    assert snapshot.forecast == tested.forecast().at(45)


def test_numbers_follow_trials_and_verdicts_follow_looks(storage: str) -> None:
    """Trials between two looks change the numbers only."""
    with _watching(storage) as watcher:
        first = _wait(watcher, lambda snapshot: snapshot.verdicts is not None)
        assert first.state(time.time()) == "idle"
        write_trials(storage, 3)
        more = _wait(watcher, lambda snapshot: snapshot.finished == 48)
        assert more.state(time.time()) == "live"
        assert more.state(time.time() + 100) == "idle"
        assert more.verdicts is first.verdicts
        write_trials(storage, 4)
        later = _wait(
            watcher,
            lambda snapshot: snapshot.finished == 52 and snapshot.verdicts is not first.verdicts,
        )
        assert later.verdicts is not None
        assert later.verdicts.trials == 50
        assert later.result == condped.importance(storage)


def test_a_study_without_trials_is_waited_for(tmp_path: Path) -> None:
    """Before the first trial has finished that is said, and then there are numbers."""
    url = url_of(tmp_path)
    study = optuna.create_study(storage=url, study_name="s")
    with _watching(url) as watcher:
        _wait(watcher, lambda snapshot: snapshot.reason == "Waiting for the first trial to finish.")
        trial = study.ask()
        _wait(watcher, lambda snapshot: snapshot.running == 1)
        study.tell(trial, objective(trial))
        _wait(watcher, lambda snapshot: snapshot.finished == 1 and snapshot.summary is not None)


def test_an_objective_that_no_trial_has_recorded_yet_is_waited_for(tmp_path: Path) -> None:
    """An attribute is there once the first trial has completed; one that is not is an error."""
    url = url_of(tmp_path)
    study = optuna.create_study(storage=url, study_name="s")
    trial = study.ask()
    x = trial.suggest_float("x", 0, 1)
    with _watching(url, objective="accuracy", direction="maximize") as watcher:
        _wait(watcher, lambda snapshot: snapshot.reason == "Waiting for the first trial to finish.")
        trial.set_user_attr("accuracy", x)
        study.tell(trial, 1.0)
        last = _wait(watcher, lambda snapshot: snapshot.summary is not None)
        assert last.summary is not None
        assert [one.name for one in last.summary.objectives] == ["accuracy"]
    with pytest.raises(NameNotFoundError, match="no objective or user attribute 'acuracy'"):
        Watcher(url, {"objective": "acuracy"}).once()


def test_a_study_that_begins_again_loses_its_verdicts(storage: str) -> None:
    """Verdicts of deleted trials are not shown beside new ones."""
    with _watching(storage) as watcher:
        _wait(watcher, lambda snapshot: snapshot.verdicts is not None)
        optuna.delete_study(study_name="s", storage=storage)
        write_trials(storage, 5)
        _wait(watcher, lambda snapshot: snapshot.finished == 5 and snapshot.verdicts is None)


def test_calibrated_numbers_come_with_the_verdicts(storage: str) -> None:
    """They are weighed by the test, so both are as of the same look."""
    with _watching(storage, method="calibrated") as watcher:
        snapshot = _wait(watcher, lambda snapshot: snapshot.result is not None)
        assert snapshot.verdicts is not None
        assert snapshot.result is snapshot.verdicts.result


def test_a_source_that_is_none_is_raised_to_who_looks(tmp_path: Path) -> None:
    """The main thread gets the error of the reading one."""
    with _watching(str(tmp_path / "missing.csv")) as watcher:
        assert watcher.ready.wait(PATIENCE)
        with pytest.raises(condped.errors.CondpedError):
            _ = watcher.snapshot


def test_settings_that_do_not_fit_are_raised(storage: str) -> None:
    """They would be wrong at every update."""
    with _watching(storage, target="failed", region_quantile="0.5") as watcher:
        assert watcher.ready.wait(PATIENCE)
        with pytest.raises(condped.errors.SettingsError):
            _ = watcher.snapshot


def _write(file: Path, trials: int, seed: int) -> None:
    """Replace a table of trials."""
    rows = np.random.default_rng(seed).random((trials, 3))
    new = file.with_suffix(".new")
    new.write_text("\n".join(["x,y,loss", *(",".join(map(str, row)) for row in rows)]) + "\n")
    new.replace(file)


def test_a_file_that_was_written_anew_loses_its_verdicts(tmp_path: Path) -> None:
    """Also with more trials than before; those of the new ones come in their place."""
    file = tmp_path / "trials.csv"
    _write(file, 45, seed=0)
    with _watching(str(file), objective="loss") as watcher:
        old = _wait(watcher, lambda snapshot: snapshot.verdicts is not None)
        _write(file, 48, seed=1)
        new = _wait(watcher, lambda snapshot: snapshot.finished == 48)
        assert new.verdicts is not old.verdicts
        new = _wait(watcher, lambda snapshot: snapshot.verdicts is not None)
    assert new.verdicts is not None
    first = condped.read(file, objective="loss").first(40)
    assert new.verdicts.result.evidence == condped.importance(first, looks="repeated").evidence


def test_a_selection_is_tested_at_looks_of_the_study(storage: str) -> None:
    """Verdicts are as of a trial of all that have finished."""
    snapshot = Watcher(storage, {"where": "x < 0.5"}).once()
    assert snapshot.finished == 45
    assert snapshot.verdicts is not None
    assert snapshot.verdicts.trials == 40
    tested = condped.importance(condped.read(storage, where="x < 0.5").first(40), looks="repeated")
    assert snapshot.verdicts.result.evidence == tested.evidence


@pytest.mark.parametrize("head", ["", "x,y,loss\n"])
def test_a_table_without_rows_is_waited_for(tmp_path: Path, head: str) -> None:
    """A file that is empty, or only names its columns, may be one that was just begun."""
    file = tmp_path / "trials.csv"
    file.write_text(head)
    with _watching(str(file), objective="loss") as watcher:
        _wait(watcher, lambda snapshot: snapshot.reason == "Waiting for the first trial to finish.")
        _write(file, 3, seed=0)
        _wait(watcher, lambda snapshot: snapshot.finished == 3 and snapshot.summary is not None)


def test_a_source_that_fails_while_it_is_waited_for_is_shown_as_unreachable(tmp_path: Path) -> None:
    """It was there before: a bad moment ends nothing."""
    file = tmp_path / "trials.csv"
    file.write_text("x,y,loss\n")
    with _watching(str(file), objective="loss") as watcher:
        _wait(watcher, lambda snapshot: snapshot.reason == "Waiting for the first trial to finish.")
        file.unlink()
        _wait(watcher, lambda snapshot: snapshot.unreachable is not None)
        _write(file, 3, seed=0)
        _wait(watcher, lambda snapshot: snapshot.finished == 3 and snapshot.unreachable is None)


def test_an_empty_file_of_any_kind_is_waited_for(tmp_path: Path) -> None:
    """Nothing tells yet that it will be a journal."""
    file = tmp_path / "journal.log"
    file.touch()
    with _watching(str(file)) as watcher:
        _wait(watcher, lambda snapshot: snapshot.reason == "Waiting for the first trial to finish.")
        journal = JournalStorage(JournalFileBackend(str(file)))
        optuna.create_study(storage=journal).optimize(objective, n_trials=3)
        _wait(watcher, lambda snapshot: snapshot.finished == 3 and snapshot.summary is not None)


def test_reading_keeps_to_a_fifth_of_the_time(
    storage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an update takes counts, though it finds nothing new."""
    now, pauses = [0.0], []
    watcher = Watcher(storage, {}, every=1.0)

    def update(_: condped.Followed) -> bool:
        now[0] += 10.0
        return False

    def wait(seconds: float) -> bool:
        pauses.append(seconds)
        return len(pauses) == 3

    watcher._look()
    monkeypatch.setattr(condped.Followed, "update", update)
    monkeypatch.setattr("condped.live.terminal.watcher.time.monotonic", lambda: now[0])
    monkeypatch.setattr(watcher._stopped, "wait", wait)
    watcher._read()
    assert pauses == [40.0] * 3
