"""What the page says is true of what it shows: outcomes, parts of a study, few trials."""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np
import optuna
from playwright.sync_api import Page

import condped
from tests.analyse.branches.pruned_studies import losing_branch_pruned
from tests.data import wine
from tests.show.report.conftest import Opener
from tests.show.report.studies import conditional, failing


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
    assert words(page, "#answer .lead").endswith("matter for failing.")
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
    assert f"{share} % of the trials there" in told
    assert "target trials there" in told
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
    told = words(page, ".rest .facts > div:last-child")
    assert f"{others} of 400 not analysed (only where model == 'network')" in told
    assert "nothing" not in told
    assert report.data["settings"]["where"] == "model == 'network'"
    assert "where model == 'network'" in words(page, "#account")


def test_conditions_one_after_the_other_are_all_told(opened: Opener) -> None:
    """A table that was chosen from is chosen from again; one that all trials meet is told, too."""
    chosen = condped.read(conditional(), where="model != 'svm'")
    again = condped.report(chosen, where="idle > 0")
    page = opened(again)
    assert "only where model != 'svm', only where idle > 0" in words(page, "#goal")
    assert words(page, ".rest .facts > div:last-child").count("not analysed") == 2
    assert again.data["settings"]["where"] == "(model != 'svm') and (idle > 0)"
    all_of_them = opened(condped.report(conditional(), where="idle > -2"))
    assert "only where idle > -2" in words(all_of_them, "#goal")
    assert "not analysed" not in words(all_of_them, "#answer")


RNG = np.random.default_rng(0)
FLAT: dict[str, Any] = {"x": RNG.uniform(size=60), "y": RNG.uniform(size=60)}
ONE = {**FLAT, "loss": FLAT["x"]}


FEW = {"x": [0.1, 0.2, 0.5, 0.7, 0.9], "c": [1.0] * 5, "loss": [1.0, 2.0, 3.0, 4.0, 5.0]}


def test_a_share_above_one_is_none(opened: Opener) -> None:
    """With few trials η² can exceed 1: this is said, and what could not be tested has a dash."""
    x = np.random.default_rng(1).uniform(size=12)
    trials = {"x": x, "c": np.ones(12), "loss": np.abs(x - 0.9)}
    space = {name: {"type": "float", "low": 0, "high": 2 if name == "c" else 1} for name in "xc"}
    told = condped.importance(trials, objective="loss", space=space)
    assert told["x"].eta_squared > 1
    assert told.evidence["c"].verdict == "not testable"
    page = opened(condped.report(trials, objective="loss", space=space))
    over, dash = page.locator("#bar-rows td.eta span").all()
    assert over.inner_text() == ">\u00a01"
    assert "smoothing overstates it" in (over.get_attribute("title") or "")
    assert "smoothing overstates it" in words(page, "#importance-hint")
    assert dash.inner_text() == "–"
    assert "> 1" in str(told)
    assert "smoothing overstates it" in str(told)
    assert f"{told['x'].eta_squared:.3f}" not in str(told)
    assert "&gt; 1" in told._repr_html_()
    assert "–</td>" in told._repr_html_()


def test_sentences_about_one_are_in_the_singular(opened: Opener) -> None:
    """One parameter, one trial of the target set."""
    page = opened(condped.report({"x": FEW["x"], "loss": FEW["loss"]}, objective="loss"))
    lead = words(page, "#answer .lead")
    assert (
        "The only parameter, x, has no statistically significant effect (1 of 5 trials is" in lead
    )
    assert "None of 1" not in lead
    message = condped.importance({"x": FEW["x"], "loss": FEW["loss"]}, objective="loss").evidence
    assert message.message.startswith("Not enough evidence: the only parameter does not")


def test_what_matters_is_never_nothing(opened: Opener) -> None:
    """A share that rounds to 0 is written as small."""
    rng = np.random.default_rng(0)
    x, y = rng.uniform(size=3000), rng.uniform(size=3000)
    report = condped.report({"x": x, "y": y, "loss": np.abs(x - 0.5) + 0.03 * y}, objective="loss")
    page = opened(report)
    for step in range(len(report.data["steps"])):
        page.locator("#slider").fill(str(step))
        assert "(0 %)" not in words(page, "#answer .lead")
    for entry in report.data["parameters"]:
        if entry["name"] == "y":
            small = [value < 0.005 for value in entry["importance"]["paper"]]
            tested = [letter == "m" for letter in entry["verdict"]]
    both = [step for step, (a, b) in enumerate(zip(small, tested, strict=True)) if a and b]
    assert both
    page.locator("#slider").fill(str(both[0]))
    assert re.search(r"x \(> 99 %\) and y \(< 1 %\) matter", words(page, "#answer .lead"))


def test_nothing_is_drawn_where_nothing_can_be_told(opened: Opener) -> None:
    """No empty chart and no sentence on what it would show."""
    page = opened(condped.report({**FLAT, "loss": np.ones(60)}, objective="loss"))
    assert not page.locator("#sweep").is_visible()
    assert not page.locator("#bars").is_visible()
    assert "They sum to 1" not in words(page, "#importance-hint")
    assert "sorted by the objective" not in words(page, "body")
    advice = words(page, "#advice")
    assert "about it" not in advice


def test_a_study_without_trials(opened: Opener) -> None:
    """Says that there are none, and not that all of them were used."""
    page = opened(condped.report(optuna.create_study()))
    text = words(page, "body")
    assert "all 0" not in text
    assert "always active" not in text
    assert "there are no trials" in text


def test_the_last_value_of_an_axis_is_labelled(opened: Opener) -> None:
    """Of integers 1 to 20, and on a narrow page, too."""
    rng = np.random.default_rng(0)
    depth = rng.integers(1, 21, 400)
    space = {"depth": {"type": "int", "low": 1, "high": 20}}
    report = condped.report({"depth": depth, "loss": depth}, objective="loss", space=space)
    for width in (1280, 360):
        page = opened(report, viewport={"width": width, "height": 800})
        page.locator("details.card summary").click()
        page.locator("svg.density text.tick").first.wait_for()
        labels = page.locator("svg.density text.tick").all_text_contents()
        assert {"1", "20"} <= set(labels)
        boxes = [label.bounding_box() for label in page.locator("svg.density text.tick").all()]
        ends = sorted((box["x"], box["x"] + box["width"]) for box in boxes if box)
        assert all(end < start for (_, end), (start, _) in itertools.pairwise(ends))


def test_names_that_cannot_be_seen_are_seen(opened: Opener) -> None:
    """Spaces are quoted; letters that hide or turn others around are written as codes."""
    rng = np.random.default_rng(0)
    names = ["   ", "\u202eetar", "a\u200bb", "tab\there"]
    columns: dict[str, Any] = {name: rng.uniform(size=200) for name in names}
    loss = np.sum(list(columns.values()), axis=0)
    report = condped.report({**columns, "loss": loss}, objective="loss", title="\u202etitle")
    page = opened(report)
    open_all(page)
    shown = page.locator("#bar-rows .name").all_inner_texts()
    assert {"'\u00a0\u00a0\u00a0'", "\\u202eetar", "a\\u200bb"} <= set(shown)
    assert not re.search("[\u200b\u202e]", page.locator("body").inner_text())
    assert "\\u202etitle" in words(page, "#source")
    text = str(condped.importance({**columns, "loss": loss}, objective="loss"))
    assert "\\u202eetar" in text
    assert "a\\u200bb" in text
    assert text.isprintable() or all(line.isprintable() for line in text.splitlines())


def test_a_branch_that_was_always_pruned_says_so(opened: Opener) -> None:
    """It is in the tree, without used trials, and nothing is said of choosing it."""
    study = losing_branch_pruned()
    trees = sum(trial.params["model"] == "tree" for trial in study.trials)
    page = opened(condped.report(study))
    open_all(page)
    tree = words(page, "#tree")
    assert f"no used trial; {trees} left out" in tree
    assert "inferred from all trials, including those that were left out" in tree
    assert "only one has used trials" in tree
    assert "choosing the branch explains" not in tree
    assert "could not be inferred" not in words(page, "body")


def test_code_on_the_page_suggests_nothing_of_unknown_condition(opened: Opener) -> None:
    """The comment is in the code, and a sentence beside it."""
    rng = np.random.default_rng(0)
    lr, hole = rng.random(300), np.where(rng.random(300) < 0.5, rng.random(300), np.nan)
    trials = {"lr": lr, "hole": hole, "loss": np.abs(lr - 0.3)}
    page = opened(condped.report(trials, objective="loss"))
    open_all(page)
    advice = words(page, "#advice")
    assert "# The condition of hole is unknown" in advice
    assert "add your own if" in advice
    assert "The code does not suggest it" in advice


def test_ties_are_the_first_thing_on_the_page(opened: Opener) -> None:
    """Above the question, and gone where the slider leaves them; the slider says how far."""
    page = opened(condped.report(wine()))
    head = words(page, "header")
    said = "91 of 139 trials share the best value 0.99; this objective cannot separate them further"
    assert head.index(said) < head.index("What mattered for reaching the best 65.5 %?")
    assert "(asked for 10 %, used 65.5 %)" in head
    assert words(page, "#slider-text") == "best 65.5 % 91 of 139 trials"
    assert words(page, "#flat-text") == (
        "Set to 10 %; because of ties, every setting from 1 % to 65 % selects the same trials."
    )
    assert page.locator("#flat-strip rect").count() == 2
    assert "Advice for the best 65.5 %" in words(page, "#next")
    assert "91 (14 without ties)" in words(page, "#account")
    page.locator("#slider").fill(page.locator("#slider").get_attribute("max") or "")
    assert not page.locator("#tie").is_visible()
    assert words(page, "#flat-text") == (
        "Within each marked range, tied values make every setting select the same trials."
    )


def test_the_strip_marks_the_steps_with_the_same_target_set(opened: Opener) -> None:
    """From the first to the last such step of the slider, where the thumb stands."""
    report = condped.report(wine())
    page = opened(report)
    steps, sizes = report.data["steps"], report.data["sizes"]
    ends = [
        (sizes.index(size), len(sizes) - 1 - sizes[::-1].index(size))
        for size in dict.fromkeys(sizes)
        if sizes.count(size) > 1
    ]
    marked = page.evaluate(
        "[...document.querySelectorAll('#flat-strip rect')].map((rect) =>"
        " [parseFloat(rect.getAttribute('x')), parseFloat(rect.getAttribute('width'))])"
    )
    most = (len(steps) - 1) / 100
    for (first, last), (left, width) in zip(ends, marked, strict=True):
        assert first - 0.5 < left * most <= first
        assert last <= (left + width) * most < last + 0.5


def test_a_study_without_ties_has_no_strip(opened: Opener) -> None:
    """Nothing is said of what there is not."""
    page = opened(condped.report(conditional()))
    assert not page.locator("#tie").is_visible()
    assert not page.locator("#flat-strip").is_visible()
    assert not page.locator("#flat-text").is_visible()


def test_a_gate_says_where_the_winners_are(opened: Opener) -> None:
    """In the answer, beside its importance, in the tree and in its card."""
    page = opened(condped.report(wine()))
    (gate,) = condped.importance(wine()).gates
    assert "model: logistic has 86 of 91 target trials" in words(page, "#answer")
    row = page.locator("#bar-rows tr", has=page.locator("a[title=model]"))
    told = " ".join(row.inner_text().split())
    assert "logistic: 86 of 91 target trials; choosing the branch explains 12 %" in told
    assert round(100 * gate.choosing) == 12
    assert "choosing the branch explains 12 %; logistic: 86 of 91" in words(page, "#tree")
    open_all(page)
    assert "the choice of the branch explains 12 % of reaching the best" in words(page, "#cards")


def test_no_row_matters_with_zero(opened: Opener) -> None:
    """What matters has a number above 0, or a word for what is too small."""
    report = condped.report(conditional())
    first = next(p for p in report.data["parameters"] if "m" in p["verdict"])
    first["importance"]["paper"] = [0] * len(first["importance"]["paper"])
    page = opened(report)
    rows = page.locator("#bar-rows tr", has_text="matters").all_inner_texts()
    told = [" ".join(row.split()) for row in rows]
    assert any("≈ 0" in row for row in told)
    assert not any("0.000" in row for row in told)
    assert "too small to give it a share" in words(page, "#importance-hint")


def test_what_is_not_testable_says_why(opened: Opener) -> None:
    """In short, in its card and to who points at it; without a number that there is not."""
    rng = np.random.default_rng(0)
    x = rng.random(60)
    trials = {"x": x, "same": np.full(60, 0.5), "loss": x + 0.1 * rng.random(60)}
    space = {name: {"type": "float", "low": 0, "high": 1} for name in ("x", "same")}
    page = opened(condped.report(trials, objective="loss", space=space, sampling="random"))
    reason = "it takes only one value where it is active"
    assert f"Not testable same ({reason})" in words(page, "#answer")
    assert page.locator(f'#bar-rows .verdict.not-testable[title="{reason}"]').count() == 1
    open_all(page)
    tested = "Tested: compared among all trials (treated as drawn at random"
    assert tested in words(page, "#importance-made")
    cards = words(page, "#cards")
    assert "Not testable. It takes only one value where it is active." in cards
    assert "p-value –" in cards
    text = words(page, "body")
    assert "NaN" not in text
    assert "null" not in text


def test_the_page_has_as_many_digits_as_the_text(opened: Opener) -> None:
    """Where values lie close together; the page writes trailing zeros, the text does not."""
    rng = np.random.default_rng(4)
    x, y = rng.uniform(size=(2, 400))
    loss = 0.97123 + 0.004 * (x > 0.3) + 0.0017 * y
    table = condped.read({"x": x, "y": y, "loss": loss}, objective="loss")
    page = opened(condped.report(table))
    open_all(page)

    def numbers(text: str) -> list[str]:
        return [number.rstrip("0") for number in re.findall(r"0\.97\d+", text)]

    for effect in condped.effects(table):
        assert effect.short is not None
        named = page.locator(f".name:text-is('{effect.name}')")
        row = page.locator(".good-list li", has=named)
        short, sentence = numbers(effect.short), numbers(effect.sentence)
        assert len(short) == 2
        assert numbers(row.inner_text()) == short
        card = page.locator("#cards .card", has=named).locator(".good-words", has_text="Median")
        assert numbers(card.inner_text()) == sentence
