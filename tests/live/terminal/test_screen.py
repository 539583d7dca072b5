"""The screen and the plain line, without a terminal."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from rich.cells import cell_len
from rich.console import Console

import condped
from condped.live.looks import Verdicts
from condped.live.terminal.line import plain_line
from condped.live.terminal.screen import screen
from condped.live.terminal.snapshot import Snapshot, Until, name_of
from condped.live.terminal.words import course

_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u200b]")
_NASTY = "\x1b[31mred\u202e\nname\x07"


def _drawn(snapshot: Snapshot, width: int, height: int, now: float = 0.0) -> list[str]:
    console = Console(
        width=width, height=height, record=True, file=io.StringIO(), force_terminal=True
    )
    console.print(screen(snapshot, width, height, now))
    return console.export_text().splitlines()


def _study(trials: int, *, names: tuple[str, ...] = ("rate", "depth", "seed")) -> dict[str, object]:
    rng = np.random.default_rng(0)
    columns = {name: rng.uniform(size=trials) for name in names}
    return {**columns, "loss": columns[names[0]] + 0.1 * rng.uniform(size=trials)}


def _snapshot(trials: int = 90, look: int | None = 80, **study: tuple[str, ...]) -> Snapshot:
    table = condped.read(_study(trials, **study), objective="loss")
    result, summary = condped.importance(table), condped.summary(table)
    verdicts = None
    if look is not None:
        tested = condped.importance(table.first(look), looks="repeated")
        verdicts = Verdicts(look, tested, tested.forecast())
    return Snapshot("study", trials, 2, result, summary, None, verdicts)


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    """Return a study of 90 trials, tested at 80."""
    return _snapshot()


@pytest.mark.parametrize("width", [20, 33, 40, 57, 64, 80, 100, 160])
@pytest.mark.parametrize("height", [1, 4, 8, 14, 24, 50])
def test_every_size_is_kept(snapshot: Snapshot, width: int, height: int) -> None:
    """No line is wider than the terminal, and there are no more lines than it has."""
    troubled = replace(snapshot, unreachable="The database is locked. " * 9, testing=90)
    for state in (
        snapshot,
        troubled,
        replace(snapshot, verdicts=None),
        Snapshot("none", reason="No trial."),
    ):
        lines = _drawn(state, width, height)
        assert len(lines) <= height
        assert max(map(cell_len, lines), default=0) <= width


def test_the_numbers_are_those_of_the_results(snapshot: Snapshot) -> None:
    """Shares, verdicts, outlooks, the best trial and the counts stand on the screen."""
    assert snapshot.result is not None
    assert snapshot.summary is not None
    assert snapshot.verdicts is not None
    assert snapshot.verdicts.forecast is not None
    text = "\n".join(_drawn(snapshot, 100, 30))
    for own in snapshot.result.parameters:
        verdict = snapshot.verdicts.result.evidence[own.name].verdict
        assert re.search(rf"^{own.name} +{own.importance:.3f} .*{verdict}", text, re.MULTILINE)
    assert "90 finished · 2 running" in text
    assert "verdicts as of trial 80" in text
    assert "Next verdicts at trial 100." in text
    assert f"trial {snapshot.summary.best[0].number}" in text
    assert snapshot.verdicts.forecast.message[:40] in text
    assert snapshot.summary.plateau[0] in text


@pytest.mark.parametrize(("width", "height"), [(40, 24), (40, 12), (60, 8)])
def test_small_terminals_keep_what_matters_most(
    snapshot: Snapshot, width: int, height: int
) -> None:
    """The state, the first parameter with its share, and its verdict are still there."""
    text = "\n".join(_drawn(snapshot, width, height))
    assert "● live" in text
    assert "90 finished" in text
    assert re.search(r"^rate +0\.\d{3} .*matters", text, re.MULTILINE)


def test_more_parameters_than_lines_are_counted() -> None:
    """The last row says how many have no row."""
    many = _snapshot(60, None, names=tuple(f"p{place}" for place in range(50)))
    lines = _drawn(many, 80, 20)
    rows = [line for line in lines if re.match(r"p\d+ +<?0\.", line)]
    assert f"… and {50 - len(rows)} more" in "\n".join(lines)


def test_an_unreachable_source_and_running_tests_are_shown(snapshot: Snapshot) -> None:
    """With since when, the reason, and what is being computed."""
    text = "\n".join(
        _drawn(replace(snapshot, unreachable="It is locked.", since=100.0), 80, 24, 112.0)
    )
    assert "○ unreachable" in text
    assert "(12 s), retrying: It is locked." in text
    text = "\n".join(_drawn(replace(snapshot, testing=90), 80, 24))
    assert "Computing verdicts as of trial 90 …" in text


def test_a_study_that_has_ended_is_not_live(snapshot: Snapshot) -> None:
    """It is live while a trial is running or has finished within a minute."""

    def corner(now: float = 1000.0, **known: Any) -> str:
        return _drawn(replace(snapshot, **known), 80, 24, now)[0].partition("study")[2].strip()

    assert corner(running=1) == "● live"
    assert corner(running=0) == "○ idle"
    assert corner(running=0, last_finished=970.0) == "● live"
    assert corner(running=0, last_finished=970.0, now=1031.0) == "○ idle"
    assert corner(running=0, finished=0, result=None, summary=None) == "○ waiting"


def test_a_new_parameter_is_not_tested_yet(snapshot: Snapshot) -> None:
    """A parameter that came after the last look has no verdict, and no made-up one."""
    more = _snapshot(90, None, names=("rate", "depth", "seed", "late"))
    text = "\n".join(_drawn(replace(snapshot, result=more.result), 100, 30))
    assert re.search(r"^late .*not tested yet", text, re.MULTILINE)


def test_names_cannot_control_the_terminal() -> None:
    """Codes in the names of parameters, studies and errors are shown, and not obeyed."""
    nasty = replace(
        _snapshot(60, 60, names=(_NASTY, "b")), name=name_of("x.csv", _NASTY), unreachable=_NASTY
    )
    text = "\n".join(_drawn(nasty, 100, 30))
    assert not _CONTROL.search(text)
    assert "\\x1b" in text
    line = plain_line(replace(nasty, unreachable=None), 0.0)
    assert not _CONTROL.search(line)
    assert "\n" not in line


def test_wide_letters_take_two_columns() -> None:
    """Bars stay in line under East Asian names."""
    lines = _drawn(_snapshot(60, 60, names=("学習率", "b", "深さ")), 80, 24)
    starts = {
        cell_len(line[: line.index("█")]) for line in lines if "█" in line and line[0] in "学b深"
    }
    assert len(starts) == 1


def test_ties_are_told_first() -> None:
    """An objective that cannot separate trials is named before any number."""
    rng = np.random.default_rng(0)
    x = rng.uniform(size=60)
    table = condped.read({"x": x, "loss": (x > 0.5).astype(float)}, objective="loss")
    snapshot = Snapshot("s", 60, 0, condped.importance(table), condped.summary(table))
    text = " ".join(" ".join(_drawn(snapshot, 100, 30)).split())
    assert "trials share the best value 0" in text
    assert text.index("cannot separate them") < text.index("What mattered")


def test_several_objectives_have_a_best_trial_each() -> None:
    """And the front is told of."""
    data = {**_study(60), "time": np.arange(60.0)}
    table = condped.read(data, objective=["loss", "time"])
    snapshot = Snapshot("s", 60, 0, condped.importance(table), condped.summary(table))
    text = "\n".join(_drawn(snapshot, 100, 40))
    assert "Best loss" in text
    assert "Best time" in text
    assert "Pareto front" in text


def test_best_values_further_apart_than_a_float_have_a_sparkline() -> None:
    """Their difference is infinite."""
    losses = [1.7e308] * 3 + [1e300] * 3 + [-1e308] * 4 + [-1.7e308] * 10
    table = {"rate": np.linspace(0, 1, 20), "loss": losses}
    summary = condped.summary(table, objective="loss")
    assert course(summary, 80) == "1.7e+308 ███▄▄▄▂▂▂▂▁▁▁▁▁▁▁▁▁▁ -1.7e+308"


def test_a_plain_line_says_the_same(snapshot: Snapshot) -> None:
    """Counts, the best value, the first parameters with verdicts, and as of which trial."""
    line = plain_line(snapshot, 0.0)
    assert snapshot.result is not None
    top = snapshot.result.parameters[0]
    assert f"{top.name} {top.importance:.3f} matters" in line
    assert "90 finished, 2 running" in line
    assert "verdicts as of trial 80" in line


@pytest.mark.parametrize("text", ["", "soon", "0", "-1", "1.5", "settled!"])
def test_other_conditions_are_refused(text: str) -> None:
    """Only 'settled' and whole numbers above 0 are conditions."""
    with pytest.raises(condped.errors.SettingsError, match="settled"):
        Until.parse(text)


def test_conditions_hold_when_they_should(snapshot: Snapshot) -> None:
    """So many finished trials; or a forecast without an open parameter, if there is one."""
    assert Until.parse("90").reached(snapshot)
    assert not Until.parse("91").reached(snapshot)
    assert snapshot.verdicts is not None
    assert snapshot.verdicts.forecast is not None
    assert Until.parse("settled").reached(snapshot) == snapshot.verdicts.forecast.settled
    assert not Until.parse("settled").reached(replace(snapshot, verdicts=None))


def test_no_password_is_shown() -> None:
    """Of a URL the user, the host and the path are left."""
    name = name_of("mysql+pymysql://me:se:cr@t@host:1/db?password=secret", "s")
    assert name == "s · mysql+pymysql://me@host:1/db"
