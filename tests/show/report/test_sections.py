"""What the page says beyond importances: effects, progress, endings, cost, single trials."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

import condped
from condped.arrays import BoolArray
from condped.trials.course.times import Times
from condped.trials.table import Parameter
from tests.show.report.conftest import Opener
from tests.show.report.studies import conditional, failing

SIZE = 1_500_000  # bytes of a page with 300 parameters


@cache
def timed(trials: int = 300) -> condped.TrialTable:
    """Return trials of which a slow kind takes ten times as long, and is no better."""
    rng = np.random.default_rng(4)
    kind, x = rng.choice(["quick", "slow"], trials), rng.uniform(size=trials)
    table = condped.read({"kind": kind, "x": x, "loss": x**2}, objective="loss")
    took = np.where(kind == "slow", 30.0, 3.0) * rng.uniform(0.8, 1.2, trials)
    ends = np.cumsum(took)
    return condped.TrialTable(
        **{name: getattr(table, name) for name in table.__dataclass_fields__ if name != "times"},
        times=Times.between(ends - took, ends),
    )


def chose(parameter: Parameter, choice: str) -> BoolArray:
    """Return which trials have a choice."""
    (domain,) = parameter.domains
    assert isinstance(domain, condped.Categorical)
    return np.asarray(parameter.values == domain.choices.index(choice))


def dots(slice_: Any, kind: str) -> int:
    """Return how many points the paths of a slice have."""
    return sum((path.get_attribute("d") or "").count("M") for path in slice_.locator(kind).all())


def open_card(page: Page, name: str) -> Any:
    """Open a parameter's card and return it."""
    card = page.locator("details.card", has=page.locator(f".card-name[title='{name}']"))
    card.locator("summary").click()
    card.locator(".body > *").first.wait_for()
    return card


@pytest.mark.parametrize("size", [(1400, 900), (820, 1180)])
def test_the_first_screen_is_the_answer(opened: Opener, size: tuple[int, int]) -> None:
    """What matters, what it does to the objective, how far the study is, and what to do next."""
    page = opened(
        condped.report(conditional()),
        folded=True,
        viewport={"width": size[0], "height": size[1]},
    )
    for wanted in (".lead", ".reached", "text=Best loss", "dt:has-text('Next step')"):
        box = page.locator(f"#answer >> {wanted}").first.bounding_box()
        assert box is not None, wanted
        assert box["y"] + box["height"] <= size[1], wanted
    assert page.locator("details.fold[open]").count() == 0


def test_good_values_are_told_in_units_of_the_objective(opened: Opener) -> None:
    """The medians of trials inside and outside, as a plain comparison of the columns has them."""
    table = conditional()
    page = opened(condped.report(table))
    model = next(p for p in table.parameters if p.name == "model")
    used = np.asarray(table.states) == 0
    network = used & chose(model, "network")
    loss = table.objectives[0].values
    row = page.locator(".good-list li", has=page.locator("strong", has_text="network")).inner_text()
    inside, outside = np.median(loss[network]), np.median(loss[used & ~network])
    assert f"median loss {inside:.3g}, with other values {outside:.3g}" in row


def test_contrasts_and_bins_are_those_of_effects() -> None:
    """At the step that was asked for, for every regime."""
    data, found = condped.report(conditional()).data, condped.effects(conditional())
    compared = 0
    for entry in data["parameters"]:
        regimes = found[entry["name"]].regimes
        for own, regime in zip(entry["regimes"], _in_order(entry, regimes), strict=True):
            assert [n for n, *_ in own["effect"]["bins"]] == [bin.trials for bin in regime.bins]
            for (_, (median, low, high, best)), bin in zip(
                own["effect"]["bins"], regime.bins, strict=True
            ):
                (reached,) = bin.reached
                told = reached.median, reached.median_low, reached.median_high, reached.best
                assert (median, low, high, best) == pytest.approx(told, rel=1e-4)
            contrast = own["effect"].get("contrast", {}).get(str(data["start"]))
            if regime.contrast is not None and regime.contrast.chosen == "good":
                assert contrast[0][0] == regime.contrast.inside.trials
                assert contrast[1][0] == regime.contrast.outside.trials
                compared += 1
    assert compared >= 3


def _in_order(entry: dict[str, Any], regimes: Any) -> list[Any]:
    """Return the regimes of an effect in the order of the page's."""
    present = iter([regime for regime in regimes if regime.domain is not None])
    absent = [regime for regime in regimes if regime.domain is None]
    return [absent[0] if own["domain"] is None else next(present) for own in entry["regimes"]]


def test_each_trial_is_a_dot_of_its_slice(opened: Opener) -> None:
    """All of a regime, those of the target set marked; the slider marks others."""
    report = condped.report(conditional())
    page = opened(report)
    card = open_card(page, "C")
    told = condped.importance(conditional())
    (density,) = told.densities["C"]
    slice_ = card.locator("svg.slice")
    assert dots(slice_, "path.dots") == int(density.region.sum())
    assert dots(slice_, "path.dots.in") == int(density.target.sum())
    page.locator("#slider").fill(str(len(report.data["steps"]) - 1))
    assert dots(slice_, "path.dots.in") > 0.9 * int(density.region.sum())
    assert slice_.locator("line.median").count() == len(
        report.data["parameters"][1]["regimes"][0]["effect"]["bins"]
    )


def test_the_history_is_the_best_so_far(opened: Opener) -> None:
    """Improvements as an accumulated minimum finds them, and the plateau that follows."""
    table = conditional()
    page = opened(condped.report(table))
    loss = np.where(np.asarray(table.states) == 0, table.objectives[0].values, np.inf)
    best = np.minimum.accumulate(loss)
    steps = np.flatnonzero(best < np.append(np.inf, best[:-1]))
    path = page.locator("path.so-far").get_attribute("d") or ""
    assert path.count("V") == len(steps) - 1
    after = loss[steps[-1] + 1 :]
    text = page.locator("#progress").inner_text()
    complete = np.count_nonzero(np.isfinite(after))
    assert f"No improvement in the last {len(after)} trials ({complete} of them complete)" in text
    assert f"Best trial: number {steps[-1]}" in text
    assert page.locator("#progress line.lost").count() == 10  # failed trials have no value


def test_what_makes_trials_fail_is_a_section(opened: Opener) -> None:
    """Counted as the columns have it; without failed trials there is no such section."""
    table = failing()
    page = opened(condped.report(table))
    x = table.parameters[0].values
    failed = np.asarray(table.states) == 2
    section = page.locator("#endings")
    assert f"{failed.sum()} of {len(table)} trials failed" in section.inner_text()
    fast = chose(table.parameters[1], "fast")
    row = section.locator("tr", has_text="fast").inner_text()
    assert f"{(failed & fast).sum()} of {fast.sum()} " in row
    assert f"{(failed & ~fast).sum()} of {(~fast).sum()} " in row
    assert "failed (depends on x" in section.locator("#endings-gist").inner_text()
    assert x[failed].max() > 0.8
    without = opened(condped.report(timed()))
    assert not without.locator("#endings").is_visible()


def test_what_takes_time_stands_beside_what_is_good(opened: Opener) -> None:
    """The slow kind is named with its median seconds; x matters for the objective only."""
    table = timed()
    page = opened(condped.report(table))
    section = page.locator("#cost")
    slow = chose(table.parameters[0], "slow")
    assert table.times is not None
    median = np.median(table.times.durations[slow])
    assert f"slow: median {median:.3g}" in section.inner_text().replace("\xa0", " ")
    verdicts = section.locator("tr", has_text="kind").locator(".verdict").all_inner_texts()
    assert [" ".join(one.split()[1:]) for one in verdicts] == ["matters", "no evidence"]
    assert not opened(condped.report(conditional())).locator("#cost").is_visible()


def test_absent_parameters_pass_below_their_axis(opened: Opener) -> None:
    """Every trial is a line; where its parameter is absent it lies below the axis."""
    report = condped.report(conditional())
    page = opened(report)
    lines = page.locator("#lines path.line")
    sample = report.data["sample"]
    valued = [i for i, value in enumerate(sample["objectives"][0]) if value is not None]
    assert lines.count() == len(valued)
    names = [t.split("\n")[0] for t in page.locator("#lines text.label").all_text_contents()]
    place = next(i for i, name in enumerate(names) if name.startswith("C"))
    paths = [line.get_attribute("d") or "" for line in lines.all()]
    heights = [float(d.split("L")[place].lstrip("M").split()[1]) for d in paths]
    absent = {i for i in valued if sample["values"]["1"][i] is None}
    assert sum(height > 290 for height in heights) == len(absent)


def test_a_page_of_300_parameters_stays_small() -> None:
    """With effects and trials it can still be mailed."""
    rng = np.random.default_rng(0)
    columns: dict[str, Any] = {f"parameter_{i:03d}": rng.uniform(size=600) for i in range(300)}
    loss = columns["parameter_003"] + rng.uniform(size=600)
    made = condped.report({**columns, "loss": loss}, objective="loss", sampling="random")
    assert len(made.html.encode()) < SIZE


def test_pairs_that_go_together_are_offered(opened: Opener) -> None:
    """An exclusive or of two parameters, of which neither matters alone."""
    rng = np.random.default_rng(0)
    a, b, c = rng.uniform(size=(3, 600))
    trials = {"a": a, "b": b, "c": c, "loss": ((a < 0.5) == (b < 0.5)) + rng.uniform(size=600)}
    report = condped.report(trials, objective="loss", target_quantile=0.25)
    (pair,) = [one for one in report.data["pairs"]["pairs"] if one["verdict"] == "matters"]
    assert pair["names"] == ["a", "b"]
    (regime,) = pair["regimes"]
    counted, *_ = np.histogram2d(a, b, bins=[np.array(one["edges"]) for one in regime["axes"]])
    assert np.abs(np.array(regime["region"]) - counted).sum() <= 4  # edges are rounded
    page = opened(report)
    assert "a × b" in page.locator("#pairs-gist").inner_text()
    cells = page.locator("#pair-list svg").first.locator(".pair-cell")
    assert cells.count() == np.count_nonzero(regime["region"])
