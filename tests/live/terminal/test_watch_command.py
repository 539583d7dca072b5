"""``condped watch`` as a process: on a terminal, in a pipe, beside a study that is written."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import optuna
import pytest
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend

from condped.live.terminal.run import watch
from condped.live.terminal.snapshot import Until
from tests.live.terminal.session import PATIENCE, Session
from tests.live.terminal.studies import storage, url_of, write_trials, writing

__all__ = ["storage"]
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")


def _slow_study(folder: Path, trials: int) -> str:
    """Return the journal of a study whose sampler takes long to replay."""
    path = str(folder / "journal.log")
    storage = JournalStorage(JournalFileBackend(path))
    sampler = optuna.samplers.TPESampler(seed=0)
    study = optuna.create_study(storage=storage, study_name="s", sampler=sampler)
    study.optimize(
        lambda trial: sum(trial.suggest_float(f"x{place}", 0, 1) for place in range(8)),
        n_trials=trials,
    )
    return path


def _finished(text: str) -> int:
    found = re.search(r"(\d+) finished", text)
    return 0 if found is None else int(found[1])


def _watched(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    known = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    return subprocess.run(
        [sys.executable, "-m", "condped", "watch", *arguments],
        capture_output=True,
        check=False,
        encoding="utf-8",
        env={**known, **environment},
        timeout=PATIENCE,
    )


def test_a_screen_follows_a_study_that_is_written(tmp_path: Path) -> None:
    """Trials of another process appear, verdicts come at looks, and the condition ends it."""
    url = url_of(tmp_path)
    write_trials(url, 5)
    with (
        Session("watch", url, "--every", "0.2", "--until", "51") as session,
        writing(url, 45, 0.05) as writer,
    ):
        session.wait_for(lambda text: _finished(text) > 5)
        tested = session.wait_for(lambda text: "verdicts as of trial 50" in text)
        assert re.search(r"^x .*matters", tested, re.MULTILINE)
        assert _finished(tested) == 50
        assert writer.wait(PATIENCE) == 0
        write_trials(url, 1)
        assert session.end() == 0
        assert "51 trials have finished." in session.after_screen
        assert _finished(session.after_screen) == 51
        assert session.attributes == session.before


def test_a_screen_follows_the_size_of_the_terminal(storage: str) -> None:
    """After a resize every line fits the new width, and no more lines are drawn than there are."""
    with Session("watch", storage, columns=100, rows=30) as session:
        session.wait_for(lambda text: "verdicts as of trial" in text)
        for columns, rows in ((40, 12), (120, 40)):
            session.resize(columns, rows)
            session.wait_for(
                lambda text, c=columns, r=rows: (
                    max(map(len, text.split("\n"))) == c  # type: ignore[misc]
                    and len(text.split("\n")) == r
                )
            )
        session.type("q")
        assert session.end() == 130


@pytest.mark.parametrize("how", ["ctrl-c", "SIGTERM", "q"])
def test_an_interrupt_leaves_the_terminal_as_it_was(storage: str, how: str) -> None:
    """The cursor is back, keys are shown again, the last state is printed, and the code is 130."""
    with Session("watch", storage) as session:
        session.wait_for(lambda text: "45 finished" in text)
        session.type("typed\n")  # is not shown
        if how == "SIGTERM":
            session.process.send_signal(signal.SIGTERM)
        else:
            session.type("\x03" if how == "ctrl-c" else "q")
        assert session.end() == 130
        assert session.raw.rindex("\x1b[?25h") > session.raw.rindex("\x1b[?25l")
        assert "\x1b[?1049l" in session.raw
        assert "typed" not in session.raw
        assert "45 finished" in session.after_screen
        assert "Interrupted." in session.after_screen
        assert "Traceback" not in session.raw
        assert session.attributes == session.before


def test_an_interrupt_ends_a_test_that_takes_long(tmp_path: Path) -> None:
    """In the middle of replays of a sampler the process ends as at any other time."""
    path = _slow_study(tmp_path, 320)
    with Session("watch", path) as session:
        text = session.wait_for(lambda text: "Computing verdicts as of trial" in text)
        look = re.search(r"as of trial (\d+) …", text)
        session.type("\x03")
        assert session.end() == 130
        assert "Interrupted." in session.after_screen
        assert look is not None
        missing = f"Verdicts as of trial {look[1]} were not computed in time."
        assert missing in session.after_screen
        assert "terminate" not in session.raw


def test_a_stopped_process_gives_the_terminal_back_and_goes_on(storage: str) -> None:
    """Ctrl-Z leaves the screen; going on draws it again."""
    with Session("watch", storage) as session:
        session.wait_for(lambda text: "45 finished" in text)
        session.type("\x1a")
        _, status = os.waitpid(session.process.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)
        session.wait_for_output()
        assert session.raw.count("\x1b[?1049h") == session.raw.count("\x1b[?1049l") == 1
        assert session.attributes == session.before
        session.process.send_signal(signal.SIGCONT)
        session.wait_for(lambda _: session.raw.count("\x1b[?1049h") == 2)
        session.wait_for(lambda text: "45 finished" in text)
        session.type("q")
        assert session.end() == 130


def test_an_unreachable_source_is_shown_and_comes_back(storage: str, tmp_path: Path) -> None:
    """A database that is moved away is named as unreachable; moved back, it is read again."""
    with Session("watch", storage, "--every", "0.2") as session:
        session.wait_for(lambda text: "○ idle" in text)
        away = (tmp_path / "study.db").rename(tmp_path / "away.db")
        shown = session.wait_for(lambda text: "○ unreachable" in text)
        assert "Unreachable since" in shown
        assert "45 finished" in shown
        write_trials(f"sqlite:///{away}", 10)
        away.rename(tmp_path / "study.db")
        session.wait_for(lambda text: "● live" in text and "55 finished" in text)


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_a_terminal_without_colour_gets_plain_lines(storage: str, name: str, value: str) -> None:
    """There is no control character, and one line per update."""
    with Session("watch", storage, "--until", "45", environment={name: value}) as session:
        assert session.end() == 0
        text = session.raw.replace("\r\n", "\n")
        assert not _CONTROL.search(text)
        assert "45 finished, 0 running" in text.splitlines()[0]


def test_a_pipe_gets_one_plain_line_per_update(tmp_path: Path) -> None:
    """Each line has more trials or newer verdicts than the last, and no control character."""
    url = url_of(tmp_path)
    write_trials(url, 5)
    command = [sys.executable, "-m", "condped", "watch", url, "--every", "0.2", "--until", "12"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stdout is not None
        lines = [process.stdout.readline()]
        write_trials(url, 3)
        while _finished(lines[-1]) < 8:  # an update may come between two trials
            lines.append(process.stdout.readline())
        write_trials(url, 4)
        lines += process.stdout.readlines()
        assert process.wait(PATIENCE) == 0
    assert not _CONTROL.search("".join(lines))
    assert len(lines) == len({line.partition("  ")[2] for line in lines}) >= 3
    counts = [_finished(line) for line in lines]
    assert counts == sorted(counts)
    assert (counts[0], counts[-1]) == (5, 12)


def test_time_that_is_up_before_the_condition_ends_with_3(storage: str) -> None:
    """And with 0 if there is no condition."""
    late = _watched(storage, "--until", "46", "--timeout", "0.5")
    assert late.returncode == 3
    assert "Timed out after 0.5 s: only 45 of 46 trials have finished." in late.stderr
    assert _watched(storage, "--timeout", "0.5").returncode == 0


def test_a_look_that_is_due_is_taken_before_the_end(storage: str) -> None:
    """The last line has the verdicts of all trials that were waited for."""
    done = _watched(storage, "--until", "45")
    assert done.returncode == 0
    assert "verdicts as of trial 40" in done.stdout.splitlines()[-1]
    assert "45 trials have finished." in done.stderr


def test_a_look_that_takes_too_long_is_said_to_be_missing(
    storage: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Watching ends all the same once the condition holds."""
    monkeypatch.setattr("condped.live.terminal.run._LAST_LOOK", 0.0)
    monkeypatch.setattr(
        "condped.live.terminal.watcher.Watcher._compute_verdicts", lambda *_: time.sleep(0.1)
    )
    ended = watch(storage, {}, every=0.1, until=Until(45), timeout=None, plain=True, out=sys.stdout)
    assert ended.code == 0
    assert ended.message == (
        "45 trials have finished. Verdicts as of trial 40 were not computed in time."
    )
    assert "not tested yet" in capsys.readouterr().out


def test_one_look_wipes_its_progress_bar_before_it_prints(tmp_path: Path) -> None:
    """The first line of the screen is not written behind the bar."""
    path = _slow_study(tmp_path, 200)
    with Session("watch", path, "--once") as session:
        assert session.end() == 0
        before = session.raw.partition("journal.log")[0].rpartition("\n")[2]
    assert "░" in before
    assert "%" not in before.rpartition("\r\x1b[K")[2]


def test_one_look_has_verdicts_and_tells_whether_the_condition_holds(storage: str) -> None:
    """--once prints one line and ends with 0, or with 3 if the condition does not hold."""
    done = _watched(storage, "--once")
    assert done.returncode == 0, done.stderr
    (line,) = done.stdout.splitlines()
    assert "verdicts as of trial 40" in line
    assert _watched(storage, "--once", "--until", "45").returncode == 0
    assert _watched(storage, "--once", "--until", "46").returncode == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("missing.csv",), "missing.csv"),
        (("--until", "soon"), "'settled' or a number"),
        (("--study", "other"), "There is no study 'other'"),
        (("--every", "0"), "--every"),
        (("--every", "inf"), "--every"),
        (("--timeout", "nan"), "--timeout"),
        (("-q", "2"), "target_quantile"),
    ],
)
def test_wrong_input_ends_with_2(storage: str, arguments: tuple[str, ...], message: str) -> None:
    """What is wrong is said in a line, before there is a screen."""
    source = () if arguments[0] == "missing.csv" else (storage,)
    done = _watched(*source, *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr


def test_without_rich_the_screen_names_the_extra_and_pipes_work(storage: str) -> None:
    """Plain lines need no optional library."""
    code = "import sys; sys.modules['rich'] = None; from condped.cli import main; main()"
    command = [sys.executable, "-c", code, "watch", storage, "--until", "45"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr


def test_help_documents_the_exit_codes() -> None:
    """Scripts find out what 3 means."""
    done = _watched("--help")
    assert "3 --timeout passed" in " ".join(done.stdout.split())
