"""Optuna's journal files, replayed directly and by Optuna itself."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import optuna
import pytest
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend

import condped
from condped.errors import DataError, SettingsError
from condped.read.files.json_lines import JsonLines
from tests.read.optuna.studies import (
    assert_same_importances,
    assert_same_table,
    check_optuna,
    run,
)

# Optuna warns that naming metrics is experimental.
pytestmark = pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")


def storage(path: Path) -> JournalStorage:
    """Open a journal with Optuna."""
    return JournalStorage(JournalFileBackend(str(path)))


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Let Optuna write studies, a deleted one, copied trials and waiting ones."""
    path = tmp_path_factory.mktemp("journal") / "optuna.log"
    written = storage(path)
    gone = optuna.create_study(study_name="gone", storage=written)
    run(gone, 5)
    random = optuna.create_study(
        study_name="random", storage=written, sampler=optuna.samplers.RandomSampler(seed=0)
    )
    run(random, 60)
    optuna.delete_study(study_name="gone", storage=written)
    random.enqueue_trial({"dropout": 0.1})
    random.add_trials(random.get_trials(states=(optuna.trial.TrialState.COMPLETE,))[:5])
    random.ask()
    two = optuna.create_study(
        study_name="two",
        storage=written,
        directions=["minimize", "maximize"],
        sampler=optuna.samplers.RandomSampler(seed=2),
    )
    two.set_metric_names(["error", "speed"])
    run(two, 40)
    return path


@pytest.mark.parametrize("study", ["random", "two"])
def test_table_is_what_optuna_replays(journal: Path, study: str) -> None:
    """Values, domains, states, objectives and constraints agree with Optuna's own API."""
    ours = condped.read(str(journal), study=study)
    loaded = optuna.load_study(study_name=study, storage=storage(journal))
    check_optuna("optuna-journal", str(journal), loaded)
    theirs = condped.read(loaded)
    assert_same_table(ours, theirs)
    assert_same_importances(ours, theirs)
    assert_same_table(condped.read(journal, study=study), theirs)


def test_operations_without_effect_have_none(journal: Path, tmp_path: Path) -> None:
    """What Optuna ignores in a replay is ignored: ended trials, clashes, unknown studies."""
    lines = journal.read_text(encoding="utf-8").splitlines()
    operations = [json.loads(line) for line in lines]
    ended = next(o["trial_id"] for o in operations if o["op_code"] == 6 and o["state"] == 1)
    asked = max(o["trial_id"] for o in operations if o["op_code"] == 6 and o["state"] == 0)
    float01 = '{"name": "FloatDistribution", "attributes": {"low": 0.0, "high": 1.0}}'
    late = [
        {"op_code": 5, "trial_id": ended, "param_name": "late", "param_value_internal": 0.5,
         "distribution": float01},
        {"op_code": 5, "trial_id": asked, "param_name": "dropout", "param_value_internal": 0.5,
         "distribution": '{"name": "FloatDistribution", "attributes": {"low": 0.1, "high": 1.0, '
         '"log": true, "step": null}}'},
        {"op_code": 6, "trial_id": ended, "state": 3, "values": None,
         "datetime_complete": "2026-01-01T00:00:00+00:00"},
        {"op_code": 9, "trial_id": ended, "system_attr": {"constraints:late": 5.0}},
        {"op_code": 4, "study_id": 77, "datetime_start": None},
        {"op_code": 0, "study_name": "random", "directions": [2]},
        {"op_code": 10, "study_id": 1},
    ]  # fmt: skip
    path = tmp_path / "changed.log"
    written = [json.dumps({"worker_id": "another", **operation}) for operation in late]
    path.write_text("\n".join([*lines, *written]) + "\n", encoding="utf-8")
    ours = condped.read(str(path), study="random")
    assert_same_table(
        ours, condped.read(optuna.load_study(study_name="random", storage=storage(path)))
    )
    assert "late" not in ours.names


def test_a_last_line_that_is_cut_off_is_left_out_and_noted(journal: Path, tmp_path: Path) -> None:
    """A journal that is being appended to is read up to its last whole line."""
    path = tmp_path / "growing.log"
    whole = journal.read_bytes()
    path.write_bytes(whole + b'{"op_code": 4, "worker')
    table = condped.read(str(path), study="two")
    assert_same_table(table, condped.read(str(journal), study="two"))
    assert any("cut off" in note for note in table.notes)
    path.write_bytes(whole + b'{"op_code": 4, "worker\n' + whole)
    lines = whole.count(b"\n")
    with pytest.raises(DataError) as caught:
        condped.read(str(path), study="two")
    assert str(caught.value).startswith(f"Line {lines + 1} of ")
    assert f"{lines} valid lines come before it" in str(caught.value)
    with pytest.raises(DataError, match="may begin a study or a trial"):
        condped.read(str(path), study="two", skip_corrupt=True)


def test_corrupt_lines_are_left_out_only_by_a_flag(journal: Path, tmp_path: Path) -> None:
    """With it they are counted, and everything else is there."""
    whole = journal.read_bytes().splitlines(keepends=True)
    path = tmp_path / "damaged.log"
    spoilt = [b'{"op_code": 8, "trial_id": 0, "user_attr": {"a\n', b"\n"]
    path.write_bytes(b"".join([*whole[:40], *spoilt, *whole[40:], b'{"op_code": 7, "st']))
    with pytest.raises(DataError, match=r"^Line 41 of .*; 40 valid lines come before it"):
        condped.read(str(path), study="two")
    table = condped.read(str(path), study="two", skip_corrupt=True)
    assert_same_table(table, condped.read(str(journal), study="two"))
    (note,) = table.notes
    assert note.startswith(f"2 of {len(whole) + 3} lines of ")
    assert note.endswith("were left out (first: line 41).")


@pytest.mark.parametrize("skip", [False, True])
def test_a_line_counts_once_its_newline_is_written(tmp_path: Path, *, skip: bool) -> None:
    """A journal that is cut at any byte of its last line holds what Optuna reads of it."""
    path, cut = tmp_path / "whole.log", tmp_path / "cut.log"
    study = optuna.create_study(study_name="cut", storage=storage(path))
    run(study, 3)
    study.ask()
    whole = path.read_bytes()
    last = whole.rstrip(b"\n").rindex(b"\n") + 1
    for end in (last, last + 1, (last + len(whole)) // 2, len(whole) - 1, len(whole)):
        cut.write_bytes(whole[:end])
        theirs = optuna.load_study(study_name="cut", storage=storage(cut)).trials
        table = condped.read(str(cut), skip_corrupt=skip)
        assert len(table) == len(theirs)
        notes = [note for note in table.notes if "left out" in note]
        assert len(notes) == (last < end < len(whole))
        assert all(str(whole.count(b"\n")) in note for note in notes)


def test_what_is_appended_while_a_journal_is_read_is_for_the_next_time(tmp_path: Path) -> None:
    """Also the rest of a line that was incomplete when reading began."""
    path = tmp_path / "live.log"
    line = b'{"op_code":8,"trial_id":0,"user_attr":{"n":%d},"worker_id":"w"}\n'
    content = b"".join(line % number for number in range(10_000))
    path.write_bytes(content[:-20])
    for growing in (False, True):
        lines = JsonLines(str(path), "an operation", skip=False, ended=True, growing=growing)
        batches = lines.batches()
        found = next(batches)
        path.write_bytes(content + line % 10_000)
        found = [*found, *(entry for batch in batches for entry in batch)]
        assert [entry["user_attr"]["n"] for entry in found] == list(range(9_999))
        if growing:
            later = [entry["user_attr"]["n"] for batch in lines.batches() for entry in batch]
            assert later == [9_999, 10_000]
        path.write_bytes(content[:-20])


def test_reading_changes_nothing_and_the_study_must_be_clear(journal: Path) -> None:
    """The bytes stay the same, deleted studies are gone, several must be chosen from."""
    before = hashlib.sha256(journal.read_bytes()).hexdigest()
    with pytest.raises(SettingsError, match=r"holds 2 studies.*'random', 'two'"):
        condped.read(str(journal))
    condped.importance(str(journal), study="random")
    assert hashlib.sha256(journal.read_bytes()).hexdigest() == before


def test_a_trial_added_with_another_domain_changes_no_other(tmp_path: Path) -> None:
    """Neither those before it nor, where it does not fit, those that follow."""
    for first in (False, True):
        path = tmp_path / f"added-{first}.log"
        study = optuna.create_study(
            study_name="added", storage=storage(path), sampler=optuna.samplers.RandomSampler(seed=1)
        )
        added = optuna.trial.create_trial(
            params={"lr": 0.5, "k": "b"},
            value=0.5,
            distributions={
                "lr": optuna.distributions.FloatDistribution(0.1, 1, step=0.1),
                "k": optuna.distributions.CategoricalDistribution(["b", "c"]),
            },
        )
        if first:
            study.add_trial(added)
        study.optimize(
            lambda t: t.suggest_float("lr", 0, 1) + t.suggest_float("z", 0, 1), n_trials=30
        )
        study.add_trial(added)
        loaded = optuna.load_study(study_name="added", storage=storage(path))
        check_optuna("optuna-journal", str(path), loaded)


def test_a_parameter_that_one_trial_records_twice_is_absent_in_another(tmp_path: Path) -> None:
    """As many records as trials do not mean that each trial has one; the last of two counts."""
    path = tmp_path / "journal.log"
    storage = JournalStorage(JournalFileBackend(str(path)))
    study = optuna.create_study(storage=storage, sampler=optuna.samplers.RandomSampler(seed=1))
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=3)
    kept = []
    for line in path.read_text().splitlines():
        operation = json.loads(line)
        if operation["op_code"] == 5 and operation["trial_id"] == 0:
            continue
        if operation["op_code"] == 5 and operation["trial_id"] == 2:
            kept.append(json.dumps({**operation, "param_value_internal": 0.125}))
            kept.append(json.dumps({**operation, "param_value_internal": 0.25}))
            continue
        kept.append(line)
    path.write_text("\n".join(kept) + "\n")
    (only,) = optuna.study.get_all_study_names(JournalStorage(JournalFileBackend(str(path))))
    theirs = optuna.load_study(
        study_name=only, storage=JournalStorage(JournalFileBackend(str(path)))
    ).trials
    (found,) = condped.read(path).parameters
    assert [trial.params.get("x") for trial in theirs] == [
        None if domain < 0 else value
        for value, domain in zip(found.values.tolist(), found.domain_ids.tolist(), strict=True)
    ]
    assert theirs[2].params == {"x": 0.25}
