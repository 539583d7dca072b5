"""What the page says is true of what it shows: outcomes, parts of a study, few trials."""

from __future__ import annotations

import re

import numpy as np
from playwright.sync_api import Page

import condped
from tests.report.conftest import Opener
from tests.report.studies import conditional, failing


def words(page: Page, place: str) -> str:
    """Return the text at a place, every space a plain one."""
    return " ".join(page.locator(place).inner_text().split())


def open_all(page: Page) -> None:
    """Open every card and branch."""
    page.evaluate("document.querySelectorAll('details').forEach((box) => { box.open = true; })")
    page.wait_for_timeout(50)


def test_what_leads_to_failing_is_not_called_good(opened: Opener) -> None:
    """Neither in words nor in green, and what does not apply is not said, or said once."""
    report = condped.report(failing(), target="failed")
    page = opened(report)
    open_all(page)
    text = words(page, "body")
    assert not re.search(r"\bgood:|Good values|good values|\bgood$|values are good", text)
    assert "Values that lead to it" in words(page, "#answer")
    assert "leads to it: " in words(page, "#cards")
    assert text.count("Branches and advice are about good objectives") == 1
    assert "target_quantile" not in report.data["settings"]
    assert report.data["settings"]["target"] == "failed"
    colour = "getComputedStyle(document.querySelector('.good-list strong')).color"
    red, green, _ = (int(n) for n in re.findall(r"\d+", page.evaluate(colour)))
    assert red > green


def test_shares_of_values_say_of_which_trials(opened: Opener) -> None:
    """A parameter that can be absent: of the trials that have it, and these are counted."""
    rng = np.random.default_rng(3)
    layers = np.where(rng.uniform(size=600) < 0.34, rng.integers(1, 7, 600), np.nan)
    x = rng.uniform(size=600)
    loss = np.where(np.isnan(layers), 1 + x, np.abs(layers - 5) + 0.2 * x)
    table = condped.read({"layers": layers, "x": x, "loss": loss}, objective="loss")
    page = opened(condped.report(table))
    row = page.locator(".good-list li", has=page.locator("text=layers"))
    told = " ".join(row.first.inner_text().split())
    (good,) = condped.importance(table).densities["layers"][0].good
    assert good.low is not None
    assert good.high is not None
    inside = int(((layers >= good.low) & (layers <= good.high)).sum())
    share = round(100 * inside / int((~np.isnan(layers)).sum()))
    assert f"{share} % of the trials that have it" in told
    assert "target trials that have it" in told
    assert "of all trials" not in told
    always = opened(condped.report({"x": x, "loss": x}, objective="loss"))
    assert "% of all trials" in words(always, ".good-list")


def test_a_part_of_a_study_is_called_a_part(opened: Opener) -> None:
    """The condition stands below the question, in the settings, and with what was left out."""
    whole = conditional()
    models = next(p for p in whole.parameters if p.name == "model")
    others = int((models.values != 1).sum())  # all but the network
    report = condped.report(whole, where="model == 'network'")
    page = opened(report)
    assert words(page, "#goal").endswith("only where model == 'network'")
    told = words(page, ".facts > div:last-child")
    assert f"{others} of 400 not looked at (only where model == 'network')" in told
    assert "nothing" not in told
    assert report.data["settings"]["where"] == "model == 'network'"
    assert "where model == 'network'" in words(page, "#account")


def test_conditions_one_after_the_other_are_all_told(opened: Opener) -> None:
    """A table that was chosen from is chosen from again; one that all trials meet is told, too."""
    chosen = condped.read(conditional(), where="model != 'svm'")
    again = condped.report(chosen, where="idle > 0")
    page = opened(again)
    assert "only where model != 'svm', only where idle > 0" in words(page, "#goal")
    assert words(page, ".facts > div:last-child").count("not looked at") == 2
    all_of_them = opened(condped.report(conditional(), where="idle > -2"))
    assert "only where idle > -2" in words(all_of_them, "#goal")
    assert "not looked at" not in words(all_of_them, ".facts")
