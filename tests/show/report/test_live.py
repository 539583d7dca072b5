"""Pages that keep themselves current, in a real Chromium beside a real stream of events."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

import condped
from condped.analyse.report.result import Report
from tests.show.report.conftest import Viewer
from tests.show.report.event_server import EventServer, event
from tests.show.report.studies import conditional
from tests.show.report.test_browser import bars, expected


@cache
def full(trials: int) -> Report:
    """Return the full report of the first trials of a study."""
    return condped.report(conditional().first(trials), title="Model selection")


@cache
def running(trials: int, verdicts: int = 0) -> Report:
    """Return the numbers of so many trials, beside the verdicts of fewer."""
    report = condped.report(conditional().first(trials), title="Model selection", verdicts=False)
    return report.with_verdicts_of(full(verdicts)) if verdicts else report


@cache
def looked_at(trials: int, verdicts: int) -> Report:
    """Return the numbers of so many trials, beside verdicts and forecast of a scheduled look."""
    report = condped.report(conditional().first(verdicts), looks="repeated")
    forecast = report.importance.forecast()
    return running(trials).with_verdicts_of(report.with_forecast(forecast))


def changes(before: Report, after: Report) -> dict[str, Any]:
    """Return what has changed between two pages, by name."""
    old, new = before.page_data, after.page_data
    return {name: value for name, value in new.items() if old.get(name) != value}


def finished(page: Page) -> str:
    """Return the number of trials on top of the page."""
    return page.locator("#goal").inner_text().split(",")[0]


def test_numbers_follow_without_a_reload(viewed: Viewer, server: EventServer) -> None:
    """What events bring is shown at once, equal to what Python says; nothing is loaded again."""
    page = viewed(running(200))
    page.evaluate("window.mark = 1")
    server.send("changes", {"version": 2, "changes": changes(running(200), running(300, 200))})
    expect(page.locator("#goal")).to_contain_text("292 of 300 trials")
    now = {name: row[:2] for name, row in bars(page).items()}
    told = {name: row[0] for name, row in expected(conditional().first(300)).items()}
    assert {name: value for name, (value, _) in now.items()} == told
    verdicts = {name: row[2] for name, row in expected(conditional().first(200)).items()}
    assert {name: row[2] for name, row in bars(page).items()} == verdicts
    assert page.evaluate("window.mark") == 1
    server.send("page", {"version": 3, "data": full(400).page_data})
    expect(page.locator("#goal")).to_contain_text("390 of 400 trials")
    assert bars(page) == expected(conditional())


def test_verdicts_say_of_which_trial_they_are(viewed: Viewer, server: EventServer) -> None:
    """On top, in the answer, above the verdicts and in cards; not where they are of all trials."""
    page = viewed(running(200))
    expect(page.locator("#live-verdicts")).to_have_text("no verdicts yet")
    assert "Not tested yet" in page.locator(".lead").inner_text()
    assert {row[2] for row in bars(page).values()} == {"not tested yet"}
    server.send("changes", {"version": 2, "changes": changes(running(200), running(300, 200))})
    expect(page.locator("#live-verdicts")).to_contain_text("verdicts as of trial 200")
    expect(page.locator("#verdict-head")).to_have_text("Verdict as of trial 200")
    expect(page.locator("#answer-text")).to_contain_text("Numbers from 300 trials; verdicts")
    page.locator("label[for=method-calibrated]").click()
    expect(page.locator("#importance-hint")).to_contain_text(
        "Calibrated importances are as of trial 200"
    )
    page.locator("#bar-rows a").first.click()
    expect(page.locator(".card[open]")).to_contain_text("p-value, as of trial 200")
    for fold in ("next", "branches", "endings"):
        page.locator(f"#{fold} > summary").click()
        expect(page.locator(f"#{fold} section")).to_contain_text("s of trial 200")
    server.send("changes", {"version": 3, "changes": changes(running(300, 200), full(300))})
    expect(page.locator("#verdict-head")).to_have_text("Verdict")
    assert page.get_by_text("as of trial 200").count() == 0


def test_what_the_reader_has_set_stays(viewed: Viewer, server: EventServer) -> None:
    """Slider, method, filter, open sections and cards, scroll, focus and selected text."""
    page = viewed(running(200, 200))
    page.locator("#slider").fill("15")
    page.locator("label[for=method-calibrated]").click()
    page.locator("#history > summary").click()
    page.locator("#branches > summary").click()
    page.locator("details.branch > summary").first.click()
    expect(page.locator("details.branch .inside table").first).to_be_visible()
    page.locator("#bar-rows a[title=rate]").click()
    page.locator("details.rest > summary").first.click()
    card = page.locator(".card[open]")
    page.evaluate("document.querySelector('.card[open] dt').scrollIntoView({block: 'center'})")
    page.evaluate(
        """() => { const range = document.createRange();
        range.selectNodeContents(document.querySelector('.card[open] dt'));
        getSelection().removeAllRanges(); getSelection().addRange(range); }"""
    )
    page.locator(".card[open] > summary").focus()
    before = card.bounding_box()
    for trials, verdicts in ((250, 200), (300, 200), (400, 300)):
        earlier = {250: running(200, 200), 300: running(250, 200), 400: running(300, 200)}[trials]
        sent = changes(earlier, running(trials, verdicts))
        server.send("changes", {"version": trials, "changes": sent})
        expect(page.locator("#goal")).to_contain_text(f"of {trials} trials")
        after = card.bounding_box()
        assert before is not None
        assert after is not None
        assert abs(after["y"] - before["y"]) < 2
    assert page.locator("#slider").input_value() == "15"
    assert page.locator("#method-calibrated").is_checked()
    assert page.locator("details.fold[open]").count() == 3
    assert page.locator("details.branch[open] .inside table").count() == 1
    assert card.locator(".card-name").inner_text() == "rate"
    assert page.locator("details.rest[open]").count() == 1
    assert page.evaluate("document.activeElement.closest('.card').open")
    assert page.evaluate("getSelection().toString()").startswith("Importance")
    quantile = running(400, 300).data["steps"][15]
    told = condped.importance(
        conditional().first(300), target_quantile=quantile, method="calibrated"
    )
    shown = {name: row[0] for name, row in bars(page).items()}
    assert shown == {one.name: pytest.approx(one.importance, abs=6e-4) for one in told}


def test_sections_whose_data_are_the_same_are_left_alone(
    viewed: Viewer, server: EventServer
) -> None:
    """No element of theirs is touched."""
    page = viewed(full(200))
    for fold in ("next", "endings", "history"):
        page.locator(f"#{fold} > summary").click()
    page.evaluate(
        """() => { window.touched = [];
        for (const id of ["next", "endings", "history"]) new MutationObserver(() =>
          window.touched.push(id)).observe(document.querySelector(`#${id} section`),
          {childList: true, subtree: true, attributes: true, characterData: true}); }"""
    )
    summary = dict(full(200).page_data["summary"], outlook="Something new.")
    server.send("changes", {"version": 2, "changes": {"summary": summary}})
    expect(page.locator("#progress")).to_contain_text("Something new.")
    assert set(page.evaluate("window.touched")) == {"history"}


def test_a_stream_goes_on_where_it_broke(viewed: Viewer, server: EventServer) -> None:
    """The browser says what it saw last; an answer of an error is asked again by the page."""
    page = viewed(running(200))
    assert server.asked == [("/events?from=run.1", None)]
    server.send("changes", {"version": 2, "changes": {"title": "Second"}}, "run.2")
    expect(page.locator("#source")).to_have_text("Second")
    server.hang_up()
    server.connected(2)
    assert server.asked[1] == ("/events?from=run.1", "run.2")
    server.refused = True
    server.hang_up()
    server.connected(3)
    expect(page.locator("#live-state")).to_have_text("Refused")
    expect(page.locator("#live-message")).to_have_text(
        "The server refused this page. Open the address that it printed, or close other pages."
    )
    server.refused = False
    server.connected(4)
    assert server.asked[3] == ("/events?from=run.2", None)
    expect(page.locator("#live-state")).not_to_have_text("Refused")
    expect(page.locator("#live-message")).to_be_hidden()
    server.send("changes", {"version": 3, "changes": {"title": "Third"}}, "run.3")
    expect(page.locator("#source")).to_have_text("Third")


def test_a_server_that_is_gone_and_back(viewed: Viewer, server: EventServer) -> None:
    """The page says so, keeps its numbers, and goes on with everything when the server is back."""
    page = viewed(running(200))
    server.close()
    expect(page.locator("#live-state")).to_have_text("Connection lost")
    expect(page.locator("#live-message")).to_contain_text("does not answer")
    assert "of 200 trials" in finished(page)
    again = EventServer(port=server.port)
    try:
        again.first = [
            event("page", {"version": 1, "data": full(400).page_data}, "other.1"),
            event("status", {"state": "live", "message": "", "finished": 400, "running": 0}),
        ]
        again.connected(1)
        expect(page.locator("#goal")).to_contain_text("of 400 trials")
        expect(page.locator("#live-state")).to_have_text("Live")
        expect(page.locator("#live-message")).to_be_hidden()
    finally:
        again.close()


def test_the_strip_tells_the_state(viewed: Viewer, server: EventServer) -> None:
    """Counts change silently; what somebody waits for is told to screen readers as well."""
    page = viewed(running(200))
    said = page.locator("#live-said")
    status = {
        "state": "live",
        "message": "",
        "finished": 200,
        "running": 4,
        "verdicts": "computing",
    }
    server.send("status", status)
    expect(page.locator("#live-trials")).to_have_text("200 finished, 4 running")
    expect(said).to_have_text("Live; verdicts being computed.")
    page.evaluate(
        """() => { window.said = 0; new MutationObserver(() => { window.said += 1; })
        .observe(document.getElementById("live-said"), {childList: true, characterData: true,
        subtree: true}); }"""
    )
    server.send("status", status | {"finished": 201})
    server.send("changes", {"version": 2, "changes": changes(running(200), running(250))})
    expect(page.locator("#goal")).to_contain_text("of 250 trials")
    assert page.evaluate("window.said") == 0
    assert page.locator("#answer-text").get_attribute("aria-live") == "off"
    page.locator("#slider").fill("15")
    assert page.locator("#answer-text").get_attribute("aria-live") == "polite"
    locked = {"state": "unreachable", "message": "The database is locked."}
    server.send("status", status | locked)
    expect(page.locator("#live-state")).to_have_text("Study unreachable")
    expect(page.locator("#live-message")).to_have_text("The database is locked.")
    expect(said).to_contain_text("Study unreachable")
    server.send("status", status)
    expect(page.locator("#live-message")).to_be_hidden()
    server.send("status", status | {"state": "ended", "message": "The server was stopped."})
    server.hang_up()
    expect(page.locator("#live-state")).to_have_text("Server stopped")
    expect(page.locator("#live-verdicts")).to_have_text("no verdicts yet")


def test_the_state_is_that_of_the_server(viewed: Viewer, server: EventServer) -> None:
    """The page decides only whether there is a connection."""
    page = viewed(running(200))
    status = {"message": "", "finished": 200, "running": 0, "verdicts": "ready"}
    for state, word in (("idle", "Idle"), ("live", "Live"), ("waiting", "Waiting")):
        server.send("status", status | {"state": state})
        expect(page.locator("#live-state")).to_have_text(word)


def test_a_study_without_trials_waits_for_the_first(viewed: Viewer, server: EventServer) -> None:
    """In one sentence; all else appears with the first trials."""
    page = viewed(running(0))
    server.send("status", {"state": "waiting", "message": "There are no trials yet."})
    expect(page.locator("#live-state")).to_have_text("Waiting")
    expect(page.locator("#answer-text")).to_have_text("Waiting for the first trial to finish.")
    hidden = [page.locator(f"#{id}") for id in ("live-message", "importance", "folds")]
    for part in hidden:
        expect(part).to_be_hidden()
    server.send("changes", {"version": 2, "changes": changes(running(0), running(200))})
    for part in hidden[1:]:
        expect(part).to_be_visible()


def test_a_forecast_says_what_it_is_about(viewed: Viewer, server: EventServer) -> None:
    """Of which target set and trial it is; since when a parameter is said to matter."""
    page = viewed(looked_at(130, 100))
    row = page.locator(".facts > div", has_text="Enough trials?")
    expect(row).to_contain_text("For the best 10\u00a0%; the slider does not change it.")
    expect(row).to_contain_text("As of trial 100.")
    forecast = looked_at(130, 100).data["forecast"]["parameters"]
    settled = {one["parameter"]: one["settled_at"] for one in forecast if one["settled_at"]}
    assert settled
    shown = page.locator("#bar-rows .since:not(:empty)")
    assert shown.count() == len(settled)
    for name, trial in settled.items():
        bar = page.locator("#bar-rows tr", has=page.locator(f"a[title={name}]"))
        expect(bar.locator(".since")).to_have_text(f"since trial {trial}")
    page.locator("#slider").fill("15")
    assert shown.count() == 0
    expect(row).to_contain_text("For the best 10\u00a0%")


def test_what_is_open_is_listed_nearest_first(viewed: Viewer, server: EventServer) -> None:
    """Those that may never be settled last, the likeliest of them first."""
    page = viewed(running(200))
    told: dict[str, Any] = {"outlook": "open", "settled_at": None, "more_trials": None}
    told |= {"more_low": 40, "more_high": None, "chance": 0.3, "verdict": "unclear"}
    rows = [
        told | {"parameter": "C", "chance": 0.2},
        told | {"parameter": "rate"},
        told | {"parameter": "idle", "more_trials": 120, "more_high": 300},
    ]
    forecast = {"message": "Not yet.", "finished": 200, "parameters": rows}
    server.send("changes", {"version": 2, "changes": {"forecast": forecast}})
    expect(page.locator(".outlook li")).to_have_text(
        [
            "idle about 120 more trials (40 to 300)",
            "rate at least 40 more trials, if ever",
            "C at least 40 more trials, if ever",
        ]
    )


def test_settings_and_endings_are_those_of_the_verdicts(viewed: Viewer) -> None:
    """Looks are repeated ones, and what is folded says as of which trial it is."""
    page = viewed(looked_at(130, 100))
    page.locator("#trials > summary").click()
    looks = page.locator("#account tr", has_text="looks")
    expect(looks).to_contain_text("repeated")
    expect(page.locator("#endings-gist")).to_have_text("3 failed, as of trial 100")
    for fold in ("next", "pairs"):
        expect(page.locator(f"#{fold}-gist")).to_contain_text(", as of trial 100")


def test_a_study_among_others_links_to_them(browser: Browser, server: EventServer) -> None:
    """Also after all data have been sent again; a page of one study has no such link."""
    page = browser.new_page()
    server.page = running(200).to_html(live="/events?from=run.1", index="/studies")
    page.goto(server.url)
    server.connected(1)
    link = page.get_by_role("link", name="All studies")
    expect(link).to_have_attribute("href", "/studies")
    server.send("page", {"version": 3, "data": full(400).page_data})
    expect(page.locator("#goal")).to_contain_text("390 of 400 trials")
    expect(link).to_be_visible()
    page.set_content(running(200).html)
    expect(page.locator("#index")).to_be_hidden()
    page.close()


def test_names_of_a_running_study_stay_text(viewed: Viewer, server: EventServer) -> None:
    """Markup in events is shown as it is."""
    page = viewed(running(200))
    evil = "<img src=x onerror=alert(1)>"
    server.send("changes", {"version": 2, "changes": {"title": evil}})
    expect(page.locator("#source")).to_have_text(evil)
    server.send("status", {"state": "live", "message": evil})
    expect(page.locator("#live-message")).to_have_text(evil)
    assert page.locator("img").count() == 0


def test_memory_is_flat_over_many_updates(viewed: Viewer, server: EventServer) -> None:
    """Heap, elements and listeners after 300 updates are those after 50, with all open."""
    page = viewed(running(300, 200))
    for fold in ("history", "branches", "sweep", "parallel", "cost", "trials", "next"):
        if page.locator(f"#{fold}").is_visible():
            page.locator(f"#{fold} > summary").click()
    page.locator("#bar-rows a").first.click()
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    there = changes(running(300, 200), running(400, 300))
    back = changes(running(400, 300), running(300, 200))

    def after(updates: int, start: int) -> dict[str, float]:
        for number in range(start, start + updates, 2):
            server.send("changes", {"version": number, "changes": there})
            server.send("changes", {"version": number + 1, "changes": back})
        server.send("changes", {"version": 0, "changes": {"title": f"after {start + updates}"}})
        expect(page.locator("#source")).to_have_text(f"after {start + updates}", timeout=120_000)
        session.send("HeapProfiler.collectGarbage")
        found = session.send("Performance.getMetrics")["metrics"]
        return {entry["name"]: entry["value"] for entry in found}

    first = after(50, 0)
    last = after(250, 50)
    assert last["Nodes"] <= 1.05 * first["Nodes"] + 100
    assert last["JSEventListeners"] <= first["JSEventListeners"] + 5
    assert last["JSHeapUsedSize"] <= 1.15 * first["JSHeapUsedSize"] + 200_000
