"""The page that lists studies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

import condped
from tests.show.report.event_server import EventServer

EVIL = "<img src=x onerror=alert(1)>"


def storage(folder: Path) -> str:
    """Return a database of two studies, one with a trial that has not ended."""
    optuna = pytest.importorskip("optuna")
    url = f"sqlite:///{folder / 'studies.db'}"
    for name, direction in (("first", "minimize"), (EVIL, "maximize")):
        study = optuna.create_study(study_name=name, storage=url, direction=direction)
        for value in (0.5, 0.25):
            trial = study.ask({"x": optuna.distributions.FloatDistribution(0, 1)})
            study.tell(trial, value)
    study.ask()
    return url


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Return a page in which nothing may go wrong."""
    wrong: list[str] = []
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: None if "ERR_" in said.text else wrong.append(said.text))
    yield page
    context.close()
    assert not wrong


def cells(page: Page) -> list[list[str]]:
    """Return the texts of the list."""
    rows = page.locator("#list tbody tr").all()
    return [row.locator("td").all_inner_texts() for row in rows]


def test_the_list_is_that_of_studies(page: Page, tmp_path: Path) -> None:
    """Names as text, with links, states, counts and the best values."""
    found = condped.studies(storage(tmp_path))
    path = tmp_path / "list.html"
    path.write_text(found.to_html({"first": "first.html"}), encoding="utf-8")
    page.goto(path.as_uri())
    first, second = cells(page)
    assert first[:2] == ["first", "idle"]
    assert second[:2] == [EVIL, "running"]
    assert [row[2].split(",")[0] for row in (first, second)] == ["2", "2"]
    assert first[3] == "0.25 lowest value"
    assert second[3] == "0.5 highest value"
    assert page.locator("#list a").get_attribute("href") == "first.html"
    assert page.locator("#goal").inner_text() == "2 studies, 1 with running trials"
    assert "works offline" in page.locator("#footer").inner_text()
    assert page.locator("#live").is_hidden()


def test_what_has_no_best_value_shows_none(page: Page, tmp_path: Path) -> None:
    """Several objectives have no single best value, an empty study has none yet."""
    (row,) = condped.studies({"x": [0.1, 0.2], "loss": [1.0, 2.0]}, objective="loss").studies
    empty = replace(row, study="empty", trials=0, complete=0, best=None)
    both = replace(
        row, study="both", objectives=("a", "b"), directions=("minimize",) * 2, best=None
    )
    path = tmp_path / "list.html"
    path.write_text(condped.Studies((empty, both)).to_html(), encoding="utf-8")
    page.goto(path.as_uri())
    assert [line[3] for line in cells(page)] == ["–", "– 2 objectives"]
    assert cells(page)[0][1] == "no trials yet"
    assert page.locator("#goal").inner_text() == "2 studies, none running"


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.95, "0.95"), (0.0689378123, "0.0689378"), (1.197756e-8, "1.19776e-8"),
     (1234567.0, "1,234,567"), (-123456.7, "-123,457"), (0.0, "0")],
)  # fmt: skip
def test_best_values_are_the_same_everywhere(
    page: Page, tmp_path: Path, value: float, shown: str
) -> None:
    """On the list, on the strip and in the answer."""
    trials = {"x": [0.1, 0.2], "loss": [value, value + abs(value) + 1]}
    path = tmp_path / "page.html"
    path.write_text(condped.studies(trials, objective="loss").to_html(), encoding="utf-8")
    page.goto(path.as_uri())
    assert cells(page)[0][3] == f"{shown} lowest loss"
    report = condped.report(trials, objective="loss", verdicts=False)
    path.write_text(report.html, encoding="utf-8")
    page.goto(path.as_uri())
    assert f"Best loss {shown} in trial 0" in page.locator("#answer-text").inner_text()


def test_the_list_follows(page: Page, tmp_path: Path) -> None:
    """Rows of events are shown at once; a lost connection is told and found again."""
    found = condped.studies(storage(tmp_path))
    server = EventServer(found.to_html({}, live="/events?from=a.1"))
    try:
        page.goto(server.url)
        server.connected(1)
        row: dict[str, Any] = found.rows()[0] | {"trials": 1234, "running": 4, "link": "/study/1"}
        lost = row | {"study": "other", "problem": "The database is locked."}
        server.send("studies", {"rows": [row, lost]}, "a.2")
        expect(page.locator("#list a").first).to_have_attribute("href", "/study/1")
        assert cells(page)[0][2].startswith("1,230, 4 running")
        assert "The database is locked." in cells(page)[1][1]
        expect(page.locator("#live-state")).to_have_text("Live")
        server.hang_up()
        server.connected(2)
        assert server.asked[1] == ("/events?from=a.1", "a.2")
        server.send("studies", {"rows": []}, "a.3")
        expect(page.locator("#list")).to_have_text("There are no studies yet.")
    finally:
        server.close()


def test_many_studies_can_be_searched(page: Page, tmp_path: Path) -> None:
    """The field stays filled while the list changes."""
    (row,) = condped.studies({"x": [0.1, 0.2], "loss": [1.0, 2.0]}, objective="loss").studies
    found = condped.Studies(tuple(replace(row, study=f"study {n}") for n in range(40)))
    path = tmp_path / "list.html"
    path.write_text(found.to_html(), encoding="utf-8")
    page.goto(path.as_uri())
    assert len(cells(page)) == 40
    page.locator("#filter").fill("study 3")
    assert [row[0] for row in cells(page)] == ["study 3", *(f"study 3{n}" for n in range(10))]
