"""Charts arrive in the real optuna-dashboard, through its own server."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest
from playwright.sync_api import Browser

import condped
from condped.errors import SettingsError

optuna = pytest.importorskip("optuna")
dashboard = pytest.importorskip("optuna_dashboard")
HOSTILE = "<img src=x onerror=alert(1)>"


class Quiet(WSGIRequestHandler):
    """Answers without a log."""

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


def objective(trial: Any) -> float:
    """Return a loss with a branch."""
    if trial.suggest_categorical(HOSTILE, ["svm", "network"]) == "svm":
        return float(abs(trial.suggest_float("C", -3, 3)) / 10 + 0.2)
    return float(0.1 + (trial.suggest_float("rate", 0, 1) - 0.3) ** 2)


@pytest.fixture
def study(tmp_path: Path) -> Any:
    """Return a study in SQLite."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    tried = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    tried.optimize(objective, n_trials=60)
    made = optuna.create_study(storage=f"sqlite:///{tmp_path / 'study.db'}", study_name="tuning")
    made.add_trials(tried.get_trials())
    return made


@pytest.fixture
def server(study: Any, tmp_path: Path) -> Iterator[str]:
    """Serve the dashboard of the study's storage and return its address."""
    storage = optuna.storages.RDBStorage(f"sqlite:///{tmp_path / 'study.db'}")
    served = make_server("127.0.0.1", 0, dashboard.wsgi(storage), handler_class=Quiet)
    thread = threading.Thread(target=served.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{served.server_port}"
    served.shutdown()
    served.server_close()
    thread.join()


def charts(server: str) -> dict[str, dict[str, Any]]:
    """Return the charts of the first study, as the dashboard's page gets them."""
    with urlopen(f"{server}/api/studies") as answer:
        number = json.load(answer)["study_summaries"][0]["study_id"]
    with urlopen(f"{server}/api/studies/{number}") as answer:
        found = json.load(answer)["plotly_graph_objects"]
    return {entry["id"]: json.loads(entry["graph_object"]) for entry in found}


def test_charts_arrive_and_are_replaced(study: Any, server: str) -> None:
    """With the result's numbers; saving again leaves as many."""
    result, curve = condped.importance(study), condped.sweep(study)
    saved = condped.optuna.save_to_dashboard(study, result)
    assert saved == ("condped-importance", "condped-regimes", "condped-densities")
    assert condped.optuna.save_to_dashboard(study, curve) == ("condped-sweep", "condped-heatmap")
    found = charts(server)
    assert len(found) == 5
    (bars,) = found["condped-importance"]["data"]
    assert bars["x"] == [parameter.importance for parameter in result]
    lines = [t for t in found["condped-sweep"]["data"] if t["mode"] == "lines+markers"]
    assert {len(line["y"]) for line in lines} == {99}
    assert HOSTILE not in json.dumps(found)

    other = condped.importance(study, target_quantile=0.3)
    condped.optuna.save_to_dashboard(study, other)
    again = charts(server)
    assert len(again) == 5
    assert again["condped-importance"]["data"][0]["x"] == [p.importance for p in other]
    condped.optuna.save_to_dashboard(study, other, name="best-30")
    assert len(charts(server)) == 8


FITS = """() => [...document.querySelectorAll("[id^='user-defined-plot']")].map((plot) => {
  const card = plot.getBoundingClientRect();
  const outside = [...plot.querySelectorAll("text")].filter((text) => {
    const box = text.getBoundingClientRect();
    return box.width && (box.left < card.left - 1 || box.right > card.right + 1
      || box.top < card.top - 1 || box.bottom > card.bottom + 1);
  });
  const drawn = plot.querySelector("svg.main-svg").getBoundingClientRect();
  return [plot.id, drawn.height <= card.height + 1, outside.map((text) => text.textContent)];
})"""


def test_no_chart_is_cut_off_by_its_card(study: Any, server: str, browser: Browser) -> None:
    """All texts lie inside the cards of the real page, and no chart is higher than its card."""
    condped.optuna.save_to_dashboard(study, condped.importance(study))
    condped.optuna.save_to_dashboard(study, condped.sweep(study))
    page = browser.new_page(viewport={"width": 1300, "height": 900})
    page.goto(f"{server}/dashboard/studies/1")
    page.wait_for_function(
        "() => document.querySelectorAll(\"[id^='user-defined-plot'] svg.main-svg\").length >= 10"
    )
    page.wait_for_timeout(500)  # axes make room for their labels after the first drawing
    found = page.evaluate(FITS)
    page.close()
    assert len(found) == 5
    assert [(fits, outside) for _, fits, outside in found] == [(True, [])] * 5


def test_the_study_itself_stays_as_it_is(study: Any) -> None:
    """Trials and their attributes are not touched."""
    before = study.get_trials()
    condped.optuna.save_to_dashboard(study, condped.importance(study))
    assert study.get_trials() == before
    assert study.user_attrs == {}


def test_what_is_no_result_or_no_name_is_refused(study: Any) -> None:
    """Before anything is written."""
    with pytest.raises(SettingsError, match="must come from condped"):
        condped.optuna.save_to_dashboard(study, {"x": 1.0})  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match="name must be a letter"):
        condped.optuna.save_to_dashboard(study, condped.importance(study), name="1 <b>")


def study_page(server: str) -> dict[str, Any]:
    """Return what the dashboard's page of the first study is made of."""
    with urlopen(f"{server}/api/studies/1") as answer:
        found: dict[str, Any] = json.load(answer)
    return found


def test_a_note_holds_the_result_and_what_people_wrote(
    study: Any, server: str, browser: Browser
) -> None:
    """Saving again replaces condped's section alone; the page shows tables, and names as text."""
    dashboard.save_note(study, "My own words.")
    result = condped.importance(study)
    condped.optuna.save_note(study, condped.importance(study, target_quantile=0.3))
    dashboard.save_note(study, f"{dashboard.get_note(study)}\nAdded below.\n")
    condped.optuna.save_note(study, result)
    body = study_page(server)["note"]["body"]
    assert body.startswith("My own words.\n\n## condped\n\n### What mattered")
    assert body.endswith("---\n\nAdded below.\n")
    assert body.count("## condped\n") == 1
    assert result.to_markdown().strip() in body

    page = browser.new_page(viewport={"width": 1300, "height": 900})
    page.goto(f"{server}/dashboard/studies/1/note")
    page.wait_for_selector("td code")
    cells = page.locator("td code").all_inner_texts()
    alarms = page.locator("img[src='x']").count()
    page.close()
    assert cells == list(result.names)
    assert not alarms
    with pytest.raises(SettingsError, match="result must be a condped result"):
        condped.optuna.save_note(study, "text")  # type: ignore[arg-type]


def test_a_section_of_the_same_heading_is_not_replaced(study: Any) -> None:
    """A heading and a rule that people wrote themselves are theirs."""
    own = "## condped\n\nHow we use it.\n\n---\n\nBelow."
    dashboard.save_note(study, own)
    for target_quantile in (0.1, 0.3):
        result = condped.importance(study, target_quantile=target_quantile)
        condped.optuna.save_note(study, result)
        body = dashboard.get_note(study)
        assert body.startswith(f"{own}\n\n## condped\n\n###")
        assert body.count("## condped\n") == 2
        assert result.to_markdown().strip() in body


def test_an_edited_section_is_kept(study: Any) -> None:
    """Without its rule nothing says where it ends: the new section is added."""
    result = condped.importance(study)
    condped.optuna.save_note(study, result)
    edited = dashboard.get_note(study).rstrip().removesuffix("---") + "My conclusions.\n\n---\n"
    dashboard.save_note(study, edited)
    condped.optuna.save_note(study, result)
    body = dashboard.get_note(study)
    assert body.startswith(edited)
    assert body.count("## condped\n") == 2
    condped.optuna.save_note(study, result)
    assert dashboard.get_note(study) == body


def test_line_ends_of_windows_do_not_double_the_section(study: Any) -> None:
    """Browsers may send CRLF; the section is still the one that was written."""
    result = condped.importance(study)
    dashboard.save_note(study, "Mine.")
    condped.optuna.save_note(study, result)
    body = dashboard.get_note(study)
    dashboard.save_note(study, body.replace("\n", "\r\n"))
    condped.optuna.save_note(study, result)
    assert dashboard.get_note(study) == body


def test_a_report_is_an_artifact_of_the_study(study: Any, tmp_path: Path) -> None:
    """The dashboard lists it as HTML and serves its bytes."""
    folder = tmp_path / "artifacts"
    folder.mkdir()
    store = optuna.artifacts.FileSystemArtifactStore(str(folder))
    report = condped.report(study)
    made = condped.optuna.save_report(study, report, artifact_store=store)
    storage = optuna.storages.RDBStorage(f"sqlite:///{tmp_path / 'study.db'}")
    app = dashboard.wsgi(storage, artifact_store=store)
    served = make_server("127.0.0.1", 0, app, handler_class=Quiet)
    thread = threading.Thread(target=served.serve_forever, daemon=True)
    thread.start()
    address = f"http://127.0.0.1:{served.server_port}"
    try:
        (meta,) = study_page(address)["artifacts"]
        with urlopen(f"{address}/artifacts/1/{made}") as answer:
            kind, page = answer.headers["Content-Type"], answer.read()
    finally:
        served.shutdown()
        served.server_close()
        thread.join()
    assert (meta["artifact_id"], meta["filename"]) == (made, "condped-report.html")
    assert meta["mimetype"] == "text/html"
    assert kind.startswith("text/html")
    assert page.decode("utf-8") == report.html
    with pytest.raises(SettingsError, match="save_note"):
        condped.optuna.save_report(study, report.importance, artifact_store=store)  # type: ignore[arg-type]


def test_wrong_arguments_of_notes_and_reports_are_named(study: Any, tmp_path: Path) -> None:
    """With what was given and what to do; nothing is written."""
    report = condped.report(study)
    store = optuna.artifacts.FileSystemArtifactStore(str(tmp_path))
    missing = optuna.artifacts.FileSystemArtifactStore(str(tmp_path / "missing"))
    save: Any = condped.optuna.save_report
    with pytest.raises(SettingsError, match=r"name must be a letter.*got 3"):
        save(study, report, artifact_store=store, name=3)
    with pytest.raises(SettingsError, match=r"artifact_store must be .*got str"):
        save(study, report, artifact_store="artifacts")
    with pytest.raises(SettingsError, match=r"existing directory \(got '.*missing.*Create it"):
        save(study, report, artifact_store=missing)
    with pytest.raises(SettingsError, match=r"study must be an optuna.Study \(got str\)"):
        save("x", report, artifact_store=store)
    with pytest.raises(SettingsError, match=r"study must be an optuna.Study \(got str\)"):
        condped.optuna.save_note("x", report)  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match=r"study must be an optuna.Study \(got str\)"):
        condped.optuna.save_to_dashboard("x", report.importance)  # type: ignore[arg-type]
    assert not study._storage.get_study_system_attrs(study._study_id)
