"""The page as a reader meets it, in a real Chromium with networking off."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

import condped
from condped.estimate.density import numeric_masses
from tests.show.report.conftest import Opener
from tests.show.report.studies import ENDING, IMAGE, conditional, hostile, wide


def bars(page: Page) -> dict[str, tuple[float, float | None, str]]:
    """Return the rows of the importance chart: name → importance, η², verdict, in their order."""
    rows = page.locator("#bar-rows tr").all()
    found = {}
    for row in rows:
        cells = row.locator("td").all_text_contents()
        name = row.locator("a").get_attribute("title") or ""
        # What is below 0.001 is as good as half of the smallest number that is shown.
        shown = [cell.replace("<\xa00.001", "0.00025") for cell in cells]
        importance = float(re.findall(r"\d\.\d{3,5}", shown[2])[0])
        eta = None if shown[3] == "–" else float(shown[3])
        found[name] = (importance, eta, " ".join(cells[4].split()[1:]))
    return found


def expected(table: Any, **options: Any) -> dict[str, tuple[Any, Any, str]]:
    """Return the same from Python."""
    told = condped.importance(table, **options)
    return {
        p.name: (
            pytest.approx(p.importance, abs=6e-4),
            None
            if told.evidence[p.name].verdict == "not testable"
            else pytest.approx(p.eta_squared, abs=6e-4),
            told.evidence[p.name].verdict,
        )
        for p in told
    }


def move(page: Page, step: int) -> None:
    """Move the slider as a hand does: a value and an event."""
    page.locator("#slider").fill(str(step))


def saved(page: Page, name: str, folder: Path) -> str:
    """Press a button of the downloads and return what the file holds."""
    with page.expect_download() as download:
        page.locator("#downloads button", has_text=re.compile(f"^{re.escape(name)}$")).click()
    download.value.save_as(folder / name)
    return (folder / name).read_text(encoding="utf-8")


def test_the_chart_is_what_importance_says(opened: Opener) -> None:
    """At the start, and wherever slider and switch are moved."""
    report = condped.report(conditional())
    page = opened(report)
    assert bars(page) == expected(conditional())
    steps = report.data["steps"]
    for step in (2, len(steps) - 8, len(steps) - 1):
        move(page, step)
        assert bars(page) == expected(conditional(), target_quantile=steps[step])
        page.locator("label[for=method-calibrated]").click()
        told = expected(conditional(), target_quantile=steps[step], method="calibrated")
        assert bars(page) == told
        page.locator("label[for=method-paper]").click()


def test_the_answer_names_what_matters(opened: Opener) -> None:
    """The first sentence names what matters with its share, and moves with the slider."""
    report = condped.report(conditional())
    page = opened(report)
    for step in (report.data["start"], 15):
        move(page, step)
        told = condped.importance(conditional(), target_quantile=report.data["steps"][step])
        lead = page.locator("#answer .lead")
        named = [p.name for p in told if told.evidence[p.name].verdict == "matters"]
        assert lead.locator(".name").all_inner_texts() == named
        without = [p.name for p in told if told.evidence[p.name].verdict == "no evidence"]
        row = page.locator(".facts > div", has_text="No evidence of an effect")
        assert row.locator("dd .name").all_inner_texts() == without
    assert "best 60" in page.locator("h1").inner_text()
    assert "10 failed (left out)" in page.locator(".rest .facts").inner_text()


def test_the_answer_tells_good_values(opened: Opener) -> None:
    """Of every parameter that matters, in each of its regimes."""
    page = opened(condped.report(conditional()))
    told = condped.importance(conditional())
    labels = [
        good.label
        for name in told.names
        if told.evidence[name].verdict == "matters"
        for regime in told.densities[name]
        for good in regime.good
    ]
    assert len(labels) >= 2
    assert page.locator(".good-list strong").all_inner_texts() == labels


def test_the_answer_is_announced(opened: Opener) -> None:
    """Screen readers hear of changes; every picture has words."""
    page = opened(condped.report(conditional()))
    assert page.locator("#answer-text").get_attribute("aria-live") == "polite"
    page.evaluate("document.querySelectorAll('details').forEach((box) => { box.open = true; })")
    for picture in page.locator("svg:not([aria-hidden])").all():
        assert picture.get_attribute("role") == "img"
        assert picture.locator("title").first.text_content()
    for landmark in ("main", "header", "footer", "section[aria-labelledby]", "h1"):
        assert page.locator(landmark).count()
    unnamed = page.locator("button:empty, input:not([id]), a:empty")
    assert unnamed.count() == 0


def test_cards_open_and_show_densities(opened: Opener) -> None:
    """The curve is the paper's density of the target trials; good ranges are marked and told."""
    page = opened(condped.report(conditional()))
    told = condped.importance(conditional())
    card = page.locator("details.card", has_text="rate")
    assert card.locator(".body").inner_text() == ""
    card.locator("summary").click()
    for place, density in enumerate(told.densities["rate"]):
        regime = card.locator(".regime").nth(place)
        assert density.label in regime.locator("h3").inner_text()
        for good in density.good:
            assert good.label in regime.inner_text()
        assert regime.locator("rect.good").count() == len(density.good)
        heights = path_heights(regime.locator("path.target").get_attribute("d") or "")
        exact = numeric_masses(density.target[None])[0]
        assert heights / heights.max() == pytest.approx(exact / exact.max(), abs=0.01)
    move(page, 12)
    assert card.locator(".regime").count() == 2  # drawn anew, still open


def path_heights(path: str) -> np.ndarray:
    """Return how high above the axis a path's points lie, in pixels."""
    points = np.array([[float(n) for n in p.split()] for p in re.split("[ML]", path)[1:]])
    return 124.0 - points[:, 1]


def test_choices_are_shown_with_their_shares(opened: Opener) -> None:
    """A row for each choice, good ones marked in words."""
    page = opened(condped.report(conditional()))
    card = page.locator("details.card", has_text="model")
    card.locator("summary").click()
    card.locator("tbody tr").first.wait_for()
    rows = card.locator("tbody tr").all_inner_texts()
    density = condped.importance(conditional()).densities["model"][0]
    target = density.target / density.target.sum()
    for row, choice, share in zip(rows, density.choices or (), target, strict=True):
        assert row.startswith(choice)
        assert f"{100 * share:.0f}\u00a0%" in row
    assert [("good" in row) for row in rows] == [False, True, False]


def test_the_tree_shows_branches_and_what_matters_inside(opened: Opener) -> None:
    """Losing branches are explained, too."""
    page = opened(condped.report(conditional()))
    found = condped.branches(conditional())
    labels = page.locator("#tree .branch-label strong").all_inner_texts()
    assert [label.strip() for label in labels] == [branch.label for branch in found]
    svm = page.locator("details.branch", has_text="model svm").first
    svm.locator("summary").click()
    inside = found.roots[0].branches[0].inside
    first = svm.locator("tbody tr").first.inner_text().split()
    assert first[0] == inside.names[0] == "C"
    assert float(first[1]) == pytest.approx(inside["C"].importance, abs=6e-4)
    before = svm.inner_text()
    move(page, 16)
    assert svm.inner_text() != before


def test_downloads_hold_the_numbers(opened: Opener, tmp_path: Path) -> None:
    """Of the step that is shown, of all steps, of all cells, and everything."""
    report = condped.report(conditional())
    page = opened(report)
    move(page, 3)
    quantile = report.data["steps"][3]
    told = condped.importance(conditional(), target_quantile=quantile)
    rows = list(csv.DictReader(io.StringIO(saved(page, "importance.csv", tmp_path))))
    assert [row["parameter"] for row in rows] == list(told.names)
    for row in rows:
        own = told[row["parameter"]]
        assert float(row["importance"]) == pytest.approx(own.importance, abs=1e-5)
        assert float(row["eta_squared"]) == pytest.approx(own.eta_squared, abs=1e-5)
        assert row["verdict"] == told.evidence[row["parameter"]].verdict
        assert (float(row["target_quantile"]), int(row["target_trials"])) == (
            quantile,
            told.target_size,
        )
    every = list(csv.DictReader(io.StringIO(saved(page, "importance-all.csv", tmp_path))))
    assert len(every) == 5 * 2 * len(report.data["steps"])
    cells = list(csv.DictReader(io.StringIO(saved(page, "regimes.csv", tmp_path))))
    rate = [int(row["target_trials"]) for row in cells if row["parameter"] == "rate"]
    assert sum(rate) == told.target_size
    everything = json.loads(saved(page, "report.json", tmp_path))
    assert everything.pop("texts")["goal"] == "lowest loss"
    assert everything == json.loads(json.dumps(report.data))


def test_advice_can_be_taken_along(opened: Opener, tmp_path: Path) -> None:
    """The steps in words, the code for Optuna as it is."""
    page = opened(condped.report(conditional()))
    advice = condped.advise(conditional())
    assert page.locator("#advice .steps li").count() == len(advice.changes) > 0
    page.locator("#advice summary", has_text="Code for Optuna").click()
    assert page.locator("#advice pre").first.text_content() == advice.optuna_code()
    with page.expect_download() as download:
        page.locator("button", has_text="Save as suggest.py").click()
    download.value.save_as(tmp_path / "suggest.py")
    assert (tmp_path / "suggest.py").read_text(encoding="utf-8") == advice.optuna_code()


def test_names_are_shown_as_text(opened: Opener, tmp_path: Path) -> None:
    """Tags in names, choices, objectives and titles stay letters; nothing runs."""
    page = opened(condped.report(hostile(), title=IMAGE))
    page.evaluate("document.querySelectorAll('details').forEach((box) => { box.open = true; })")
    page.wait_for_timeout(100)
    assert list(bars(page)) == list(condped.importance(hostile()).names)
    text = page.locator("body").inner_text()
    assert IMAGE in text
    assert ENDING[:20] in text
    assert "<i>loss" in page.locator("#goal").inner_text()
    assert page.locator("#source").inner_text() == IMAGE
    assert page.locator("img, b, i, main script").count() == 0
    rows = list(csv.DictReader(io.StringIO(saved(page, "importance.csv", tmp_path))))
    assert {IMAGE, ENDING} <= {row["parameter"] for row in rows}


def test_the_keyboard_is_enough(opened: Opener) -> None:
    """Tab reaches the controls, arrows move them, Enter opens a card; focus can be seen."""
    page = opened(condped.report(conditional()))
    reached = []
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.id || document.activeElement.tagName"))
        if reached[-1] == "slider":
            before = page.locator("#slider-text").inner_text()
            page.keyboard.press("ArrowRight")
            assert page.locator("#slider-text").inner_text() != before
            assert bars(page) == expected(conditional(), target_quantile=0.15)
            outline = "getComputedStyle(document.activeElement).outlineStyle"
            assert page.evaluate(outline) != "none"
        if reached[-1] == "method-paper":
            page.keyboard.press("ArrowRight")
            told = expected(conditional(), target_quantile=0.15, method="calibrated")
            assert bars(page) == told
            page.keyboard.press("ArrowLeft")
        if page.evaluate("document.activeElement.parentElement.classList.contains('card')"):
            page.keyboard.press("Enter")
            break
    assert {"slider", "method-paper", "theme"} <= set(reached)
    assert page.locator("details.card[open]").count() == 1


def test_light_and_dark(opened: Opener) -> None:
    """As the machine has it, until the reader says otherwise."""
    page = opened(condped.report(conditional()), color_scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(ground) == "rgb(21, 23, 26)"
    page.locator("#theme").click()
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    page.locator("#theme").click()
    assert page.evaluate(ground) == "rgb(21, 23, 26)"


@pytest.mark.parametrize("study", [conditional, hostile, wide])
def test_phones_need_not_scroll_sideways(opened: Opener, study: Any) -> None:
    """Nothing is wider than the screen, opened cards and branches included."""
    page = opened(condped.report(study()), viewport={"width": 360, "height": 700})
    page.evaluate("document.querySelectorAll('details').forEach((box) => { box.open = true; })")
    page.wait_for_timeout(100)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_on_paper_cards_are_open_and_controls_gone(opened: Opener) -> None:
    """Printing shows everything that can be read, and nothing that can only be pressed."""
    page = opened(condped.report(conditional()), color_scheme="dark")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator("#controls").is_visible()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details.card[open] .regime").count() >= 5
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details.card[open]").count() == 0


def test_many_parameters_are_found(opened: Opener) -> None:
    """The first twenty, all of them, or those that a reader looks for."""
    page = opened(condped.report(wide()))
    assert list(bars(page)) == list(condped.importance(wide()).names[:20])
    page.locator("#bars-more button").click()
    assert bars(page) == expected(wide())
    page.locator("#filter").fill("P01")
    assert sorted(bars(page)) == [f"p{place:03d}" for place in range(10, 20)]
    assert page.locator("details.card").count() == 10
    page.locator("#bar-rows a").first.click()
    assert page.locator("details.card[open]").count() == 1
    assert "No parameter activates another" in page.locator("#tree").inner_text()


def test_without_scripts_there_is_a_table(opened: Opener) -> None:
    """As in the preview of a mail: plain text, and nothing that only a script could fill."""
    page = opened(condped.report(conditional()), java_script_enabled=False)
    assert page.locator("noscript pre").inner_text().strip() == str(
        condped.importance(conditional())
    )
    assert not page.locator("main").is_visible()


RNG = np.random.default_rng(0)
NOISE = {"x": RNG.uniform(size=60), "y": RNG.uniform(size=60), "loss": RNG.uniform(size=60)}
TWO = {**NOISE, "other": NOISE["x"] - NOISE["loss"]}


@pytest.mark.parametrize(
    ("source", "options", "words"),
    [
        (NOISE, {}, "Not enough evidence. None of 2 parameters"),
        ({**NOISE, "loss": np.ones(60)}, {}, "No conclusion is possible here: all 60 trials have"),
        ({"x": [1.0], "loss": [1.0]}, {}, "No conclusion is possible here: there is only one"),
        ({"x": NOISE["x"], "loss": NOISE["x"]}, {}, "x (100 %) matters for reaching the best 10 %"),
        (TWO, {"objective": ["loss", "other"]}, "reaching the best 10 %"),
        (NOISE, {"sampling": "tpe"}, "such as by RandomSampler, would give an answer"),
        (NOISE, {"measure": "unconditional"}, "Not enough evidence"),
        (NOISE, {"measure": "standard"}, "Not enough evidence"),
        (NOISE, {"region_quantile": 0.2}, "Not enough evidence"),
        (NOISE, {"intervals": "half-sampling"}, "Not enough evidence"),
    ],
)  # fmt: skip
def test_every_kind_of_study_opens(
    opened: Opener, source: Any, options: dict[str, Any], words: str
) -> None:
    """Undetermined, without evidence, with one parameter, several objectives, other measures."""
    page = opened(condped.report(source, **{"objective": "loss", **options}))
    page.evaluate("document.querySelectorAll('details').forEach((box) => { box.open = true; })")
    assert words in page.locator("#answer .lead").inner_text().replace("\u00a0", " ")
    if page.locator("#slider").is_visible():
        move(page, 1)
    page.wait_for_timeout(50)
    assert page.locator("#trials").inner_text()
    # Advice, or why there is none.
    place = "#next" if page.locator("#next").is_visible() else "#tree"
    assert "dvice" in page.locator(place).inner_text()


def test_an_outcome_has_no_slider(opened: Opener) -> None:
    """What led to failing: one target set, no branches, no advice."""
    page = opened(condped.report(conditional(), target="failed"))
    assert page.locator("h1").inner_text() == "What led to failing?"
    assert not page.locator("#slider").is_visible()
    assert not page.locator("#sweep").is_visible()
    assert bars(page) == expected(conditional(), target="failed")
    assert "explains an outcome" in page.locator("#tree").inner_text()


def test_a_report_draws_itself_inside_a_notebook(opened: Opener, tmp_path: Path) -> None:
    """In its frame the page says what it says in a file of its own."""
    report = condped.report(conditional())
    page = opened(report)
    around = tmp_path / "notebook.html"
    around.write_text(f"<!doctype html>{report._repr_html_()}", encoding="utf-8")
    lead = page.locator("#answer .lead").inner_text()
    inner = page.context.new_page()
    inner.goto(around.as_uri())
    assert inner.frame_locator("iframe").locator("#answer .lead").inner_text() == lead


def test_a_page_without_advice_says_why(opened: Opener) -> None:
    """Where a section is missing a reader would think that there is nothing to do."""
    rng = np.random.default_rng(0)
    trials = {"a": rng.random(100), "b": rng.random(100), "loss": rng.random(100)}
    page = opened(condped.report(trials, objective="loss", where="a < 0.5 or b < 0.5"))
    assert "joined by 'and'" in page.locator("#advice").inner_text()
