"""Feeds of real studies in SQLite."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest

import condped
from condped.live.background import Background
from condped.live.feed import StudyFeed
from condped.live.sources import open_study
from tests.live.studies import run_trials, storage_in
from tests.live.viewer import Viewer, feed_of


def without_clock(data: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in data.items() if name != "versions"}


def test_events_lead_to_what_a_report_of_all_trials_says(
    tmp_path: Path, background: Background
) -> None:
    """Numbers and verdicts put together from events equal those of fresh reports."""
    url = storage_in(tmp_path)
    run_trials(url, 25)
    feed = feed_of(url, background)
    viewer = Viewer(feed)
    with feed.viewing(viewer.news.set):
        viewer.until(lambda: bool(viewer.data))
        assert viewer.data["tested"] is None  # too few trials for the first look
        run_trials(url, 20, seed=1)
        viewer.until(
            lambda: (
                viewer.data["used"] == 45
                and viewer.data["tested"] == {"trials": condped.last_look(45)}
                and viewer.status.get("verdicts") == "ready"
            )
        )
    feed.close()

    table = condped.read(url, study="tuning")
    full = condped.report(table.first(condped.last_look(45)), title="tuning", looks="repeated")
    fresh = condped.report(table, verdicts=False, title="tuning").with_verdicts_of(full)
    expected = json.loads(json.dumps(fresh.page_data))
    forecast = viewer.data.pop("forecast")
    assert without_clock(viewer.data) == without_clock(expected)
    # Counted from the trials that are shown, not from those of the look.
    counted = full.importance.forecast().at(45)
    assert forecast == json.loads(json.dumps(counted.to_data()))
    assert forecast["finished"] == 45
    assert viewer.kinds.count("page") == 1
    assert (viewer.status["finished"], viewer.status["running"]) == (45, 0)
    assert viewer.status["best"] == min(table.objectives[0].values)


def test_a_viewer_who_was_away_gets_only_what_has_changed(
    tmp_path: Path, background: Background
) -> None:
    """With a version of this feed there are changes, with another one the whole page."""
    url = storage_in(tmp_path)
    run_trials(url, 10)
    feed = feed_of(url, background)
    first = Viewer(feed)
    with feed.viewing(first.news.set):
        first.until(lambda: first.status.get("state") == "idle")
        page = feed.page("/events")
        assert page is not None
        version = page.partition("/events?from=")[2].partition('"')[0]
        run_trials(url, 5, seed=1)
        first.until(lambda: first.data["used"] == 15)
        back, stranger = Viewer(feed, version), Viewer(feed, "another.1")
        back.until(lambda: "used" in back.data)
        stranger.until(lambda: "used" in stranger.data)
    feed.close()

    assert back.kinds == ["changes", "status"]
    assert "steps" not in back.data
    assert stranger.kinds == ["page", "status"]
    assert without_clock(stranger.data) == without_clock(first.data)


def test_a_feed_without_viewers_does_nothing(tmp_path: Path, background: Background) -> None:
    """After the last viewer has left nothing is read, and the next one gets what is new."""
    url = storage_in(tmp_path)
    run_trials(url, 10)
    opened: list[condped.Followed] = []

    def follow() -> condped.Followed:
        opened.append(condped.follow(url, study="tuning"))
        return opened[-1]

    feed = StudyFeed(follow, background, {}, every=0.01, grace=0.05)
    assert feed.idle
    viewer = Viewer(feed)
    with feed.viewing(viewer.news.set):
        viewer.until(lambda: bool(viewer.data))
    while not feed.idle:
        time.sleep(0.01)
    run_trials(url, 5, seed=1)
    with pytest.raises(condped.errors.SettingsError):
        opened[0].update()  # it was closed
    with feed.viewing(viewer.news.set):
        viewer.until(lambda: viewer.data["used"] == 15)
    feed.close()

    assert len(opened) == 2


def test_a_file_without_trials_waits_for_them(tmp_path: Path, background: Background) -> None:
    """Before the first row of a file there is a status and no page."""
    file = tmp_path / "trials.csv"
    file.write_text("x,loss\n")
    feed = StudyFeed(lambda: condped.follow(file, objective="loss"), background, {}, every=0.05)
    viewer = Viewer(feed)
    with feed.viewing(viewer.news.set):
        viewer.until(lambda: viewer.status.get("message") == "There are no trials yet.")
        assert feed.wait(1)
        assert feed.page("/events") is None
        file.write_text("x,loss\n0.5,1\n0.25,2\n0.125,3\n")
        viewer.until(lambda: viewer.data.get("used") == 3)
    feed.close()


def test_a_study_without_trials_has_a_page(tmp_path: Path, background: Background) -> None:
    """A study that was only just made is shown as such, and filled as its trials come."""
    url = storage_in(tmp_path)
    run_trials(url, 0)
    feed = feed_of(url, background)
    viewer = Viewer(feed)
    with feed.viewing(viewer.news.set):
        viewer.until(lambda: viewer.data.get("used") == 0)
        assert "tuning" in str(feed.page("/events"))
        run_trials(url, 3)
        viewer.until(lambda: viewer.data["used"] == 3)
    feed.close()


def test_a_study_that_begins_again_loses_its_verdicts(
    tmp_path: Path, background: Background
) -> None:
    """Verdicts of trials that are gone are not shown beside new ones."""
    url = storage_in(tmp_path)
    run_trials(url, 45)
    look = condped.last_look(45)
    feed = feed_of(url, background)
    viewer = Viewer(feed)
    with feed.viewing(viewer.news.set):
        viewer.until(lambda: (viewer.data.get("tested") or {}).get("trials") == look)
        import optuna  # noqa: PLC0415

        optuna.delete_study(study_name="tuning", storage=url)
        run_trials(url, 8, seed=2)
        viewer.until(lambda: viewer.data["used"] == 8)
        assert viewer.data["tested"] is None
    feed.close()


def test_viewers_of_a_deleted_study_are_not_told_of_others(
    tmp_path: Path, background: Background
) -> None:
    """The server may have been started for some studies of a storage only."""
    url = storage_in(tmp_path)
    run_trials(url, 3)
    run_trials(url, 3, study="confidential")
    feed = feed_of(url, background)
    viewer = Viewer(feed)
    with feed.viewing(viewer.news.set):
        viewer.until(lambda: viewer.data.get("used") == 3)
        optuna.delete_study(study_name="tuning", storage=url)
        viewer.until(lambda: viewer.status["state"] == "unreachable")
        assert viewer.status["message"] == "There is no study 'tuning' any more."
    feed.close()


@pytest.mark.parametrize("watched", [True, False])
def test_a_file_that_was_written_anew_loses_its_verdicts(
    tmp_path: Path, background: Background, watched: bool
) -> None:
    """Also with more trials than before, and while nobody looked."""
    file = tmp_path / "trials.csv"

    def write(trials: int, seed: int) -> None:
        rows = np.random.default_rng(seed).random((trials, 3))
        text = "\n".join(",".join(map(str, row)) for row in rows)
        (tmp_path / "new").write_text(f"x,y,loss\n{text}\n")
        (tmp_path / "new").replace(file)

    def follow() -> condped.Followed:
        return condped.follow(file, objective="loss")

    def check() -> None:
        """Compare what is shown with a report of the file as it is."""
        shown = [one.get("p") for one in viewer.data["parameters"]]
        full = condped.report(follow().table.first(40), looks="repeated").page_data
        assert viewer.data["tested"] is None or shown == [one["p"] for one in full["parameters"]]

    write(45, seed=0)
    feed = StudyFeed(follow, background, {}, every=0.05, grace=0.05)
    viewer = Viewer(feed)
    with feed.viewing(viewer.news.set):
        viewer.until(lambda: viewer.data.get("tested") == {"trials": 40})
        if watched:
            write(48, seed=1)
            viewer.until(lambda: viewer.data["used"] == 48)
            check()
    while not feed.idle:
        time.sleep(0.01)
    write(49, seed=2)
    with feed.viewing(viewer.news.set):
        viewer.until(lambda: viewer.data["used"] == 49)
        check()
        viewer.until(lambda: viewer.data["tested"] == {"trials": 40})
        check()
    feed.close()


def test_verdicts_of_a_selection_are_as_of_trials_of_the_study(
    tmp_path: Path, background: Background
) -> None:
    """A condition changes which trials are analysed, and not when."""
    url = storage_in(tmp_path)
    run_trials(url, 55)
    where = "model == 'net'"
    feed = StudyFeed(lambda: condped.follow(url, where=where), background, {}, every=0.05)
    viewer = Viewer(feed)
    with feed.viewing(viewer.news.set):
        viewer.until(lambda: viewer.data.get("tested") == {"trials": 50})
    feed.close()
    assert viewer.data["used"] < 40
    assert viewer.status["finished"] == viewer.data["forecast"]["finished"] == 55


def test_who_comes_back_waits_for_what_is_new(tmp_path: Path, background: Background) -> None:
    """After a pause without viewers, what was read for them is not given out as current."""
    url = storage_in(tmp_path)
    run_trials(url, 5)
    feed = feed_of(url, background, grace=0.05)
    feed.touch()
    assert feed.wait(60)
    while not feed.idle:
        time.sleep(0.01)
    run_trials(url, 3, seed=1)
    feed.touch()
    assert feed.wait(60)
    assert json.loads(feed.data() or "")["used"] == 8
    feed.close()


def test_an_objective_that_is_recorded_later_is_the_one_that_is_explained(
    tmp_path: Path, background: Background
) -> None:
    """A page that is opened while the first trial runs waits for it, and says so."""
    url = storage_in(tmp_path)
    study = optuna.create_study(storage=url, study_name="tuning")
    trial = study.ask()
    x = trial.suggest_float("x", 0, 1)
    reading = {"objective": "acc", "direction": "maximize"}
    feed = StudyFeed(lambda: open_study(url, "tuning", reading), background, {}, every=0.05)
    viewer = Viewer(feed)
    with feed.viewing(viewer.news.set):
        viewer.until(lambda: viewer.status.get("message") == "No trial has recorded 'acc' yet.")
        assert viewer.status["state"] == "waiting"
        trial.set_user_attr("acc", x)
        study.tell(trial, 1.0)
        viewer.until(lambda: viewer.status.get("finished") == 1)
        assert viewer.status["best"] == x
    feed.close()


def test_a_study_that_never_records_an_objective_is_explained_by_its_own(
    tmp_path: Path, background: Background
) -> None:
    """As soon as a trial has completed without it."""
    url = storage_in(tmp_path)
    run_trials(url, 3)
    with open_study(url, "tuning", {"objective": "acc", "direction": "maximize"}) as followed:
        (objective,) = followed.table.objectives
    assert (objective.name, objective.direction) == ("value", "minimize")


def test_a_study_is_live_while_trials_run_or_finish(tmp_path: Path, background: Background) -> None:
    """One that ended before it was opened is idle, as it is in the terminal."""
    url = storage_in(tmp_path)
    study = run_trials(url, 3)
    feed = feed_of(url, background)
    viewer = Viewer(feed)
    with feed.viewing(viewer.news.set):
        viewer.until(lambda: viewer.status.get("state") == "idle")
        trial = study.ask()
        viewer.until(lambda: viewer.status["running"] == 1)
        assert viewer.status["state"] == "live"
        trial.suggest_float("x", 0, 1)
        study.tell(trial, 0.5)
        viewer.until(lambda: viewer.status["running"] == 0)
        assert viewer.status["state"] == "live"
    feed.close()
