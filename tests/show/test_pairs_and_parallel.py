"""Pictures of pairs and of trials over parallel axes, against the trials themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import condped
from condped.errors import NameNotFoundError, SettingsError
from condped.show.drawing import Backend
from condped.show.views.pairs import pairs_view
from condped.show.views.parallel import ABSENT, parallel_view
from condped.show.views.scales import scale_ticks, scaled

HOSTILE = "<img src=x onerror=alert(1)>"
SPACE: dict[str, Any] = {
    "model": {"type": "categorical", "choices": ["svm", "tree"]},
    "C": {"type": "float", "low": 1e-3, "high": 1e3, "log": True, "when": "model == 'svm'"},
    HOSTILE: {"type": "float", "low": 1e-4, "high": 1, "log": True, "when": "model == 'svm'"},
    "depth": {"type": "int", "low": 1, "high": 5, "when": "model == 'tree'"},
    "idle": {"type": "float", "low": 0, "high": 1},
}


def trials(number: int = 500) -> dict[str, Any]:
    """Return trials in which C has to fit to another parameter, in the branch where both are."""
    rng = np.random.default_rng(0)
    svm = rng.random(number) < 0.7
    c, gamma = 10 ** rng.uniform(-3, 3, number), 10 ** rng.uniform(-4, 0, number)
    depth = rng.integers(1, 6, number).astype(float)
    loss = np.where(svm, abs(np.log10(c) - np.log10(gamma) - 1.5), 1.0 + depth / 5)
    return {
        "model": np.where(svm, "svm", "tree"), "C": np.where(svm, c, np.nan),
        HOSTILE: np.where(svm, gamma, np.nan), "depth": np.where(svm, np.nan, depth),
        "idle": rng.random(number), "loss": loss,
    }  # fmt: skip


def joint(**options: Any) -> condped.JointEffects:
    """Return the joint effects of the trials."""
    return condped.joint_effects(trials(), objective="loss", space=SPACE, **options)


def test_cells_of_a_pair_are_a_plain_histogram() -> None:
    """On the scales of both domains, all trials and those of the target set."""
    found, columns = joint(), trials()
    assert found[0].parameters == ("C", HOSTILE)
    assert found[0].verdict == "matters"
    (cells,) = found[0].cells
    both = np.isfinite(columns["C"])
    target = columns["loss"] <= np.sort(columns["loss"])[found.target_size - 1]
    edges = [np.linspace(-3, 3, 13), np.linspace(-4, 0, 13)]
    for rows, counts in ((both, cells.region), (both & target, cells.target)):
        values = [np.log10(columns[name][rows]) for name in found[0].parameters]
        np.testing.assert_array_equal(np.histogram2d(values[0], values[1], bins=edges)[0], counts)


def test_choices_and_whole_numbers_have_a_cell_each() -> None:
    """Under their own names; the rarest of many choices share one."""
    rng = np.random.default_rng(0)
    columns = {
        "depth": rng.integers(1, 6, 300), "k": rng.choice(list("abcdefghijklmno"), 300),
        "loss": rng.random(300),
    }  # fmt: skip
    (effect,) = condped.joint_effects(columns, objective="loss")
    depth, choices = effect.cells[0].first, effect.cells[0].second
    assert depth.choices == ("1", "2", "3", "4", "5")
    assert depth.edges == (0.5, 1.5, 2.5, 3.5, 4.5, 5.5)
    assert choices.cells == 12
    assert choices.choices is not None
    assert choices.choices[-1] == "4 others"
    counted = [[np.sum((columns["depth"] == d) & (columns["k"] == k)) for k in choices.choices[:-1]]
               for d in range(1, 6)]  # fmt: skip
    np.testing.assert_array_equal(np.array(effect.cells[0].region)[:, :-1], counted)
    assert np.sum(effect.cells[0].region) == 300


def test_cells_survive_saving(tmp_path: Path) -> None:
    """As do verdicts and how they were found."""
    found = joint()
    found.save(tmp_path / "joint.json")
    assert condped.load(tmp_path / "joint.json") == found
    assert found.to_data()["pairs"][0]["cells"][0]["first"]["parameter"] == "C"


def test_pairs_that_matter_are_shown_and_others_in_grey() -> None:
    """Without any that matters the strongest, and the picture says so."""
    found = joint()
    view = pairs_view(found)
    assert [panel.title for panel in view.panels] == ["C × <img src=x …=alert(1)>"]
    assert view.panels[0].words.startswith("matters: η² ")
    assert not view.panels[0].grey
    dots = sum(count for _, _, count in view.panels[0].dots)
    assert dots == np.sum(found[0].cells[0].target)
    silent = next(one for one in found if one.cells and one.verdict == "no evidence")
    assert pairs_view(found, [silent.parameters]).panels[0].grey
    rng = np.random.default_rng(1)
    nothing = {name: rng.random(300) for name in ("a", "b", "c", "loss")}
    told = pairs_view(condped.joint_effects(nothing, objective="loss"))
    assert "no pair is statistically significant; the strongest are shown" in (told.note or "")
    assert len(told.panels) == 2


def test_pairs_that_are_none_are_refused() -> None:
    """Names that are never active together, or whose cells were not kept."""
    found = joint()
    with pytest.raises(SettingsError, match="active together in enough trials"):
        condped.plot.pairs(found, [("C", "depth")])
    kept = [one for one in found if not one.cells]
    for effect in kept[:1]:
        with pytest.raises(SettingsError, match="were not kept"):
            condped.plot.pairs(found, [effect.parameters])


def test_a_walk_is_not_testable() -> None:
    """Each trial resembles the one before it: no verdict is better than a wrong one."""
    rng = np.random.default_rng(0)
    walk = {name: np.cumsum(rng.normal(size=200)) for name in ("a", "b")}
    walk["loss"] = np.cumsum(rng.normal(size=200))
    found = condped.joint_effects(walk, objective="loss")
    assert [effect.verdict for effect in found] == ["not testable"]
    assert found.sampling.startswith("Not testable: each trial depends on the one before it")


def test_each_trial_crosses_its_axes_where_its_values_are() -> None:
    """On the domains' scales, below them where a parameter is absent; the objective is last."""
    columns = trials()
    effects = condped.effects(columns, objective="loss", space=SPACE)
    view = parallel_view(effects, ["model", "C", "depth", "idle"])
    assert [axis.name for axis in view.axes] == ["model", "C", "depth", "idle", "loss"]
    assert [axis.absent for axis in view.axes] == [False, True, True, False, False]
    best = set(np.argsort(columns["loss"])[: effects.target_size].tolist())
    assert {line.number for line in view.target} <= best
    for line in (*view.others, *view.target):
        model, c, depth, idle, _ = line.places
        row = line.number
        assert (model < 0.5) == (columns["model"][row] == "svm")
        if np.isfinite(columns["C"][row]):
            assert c == pytest.approx((np.log10(columns["C"][row]) + 3) / 6)
            assert abs(depth - ABSENT) <= 0.031
        else:
            assert abs(c - ABSENT) <= 0.031
            assert depth == pytest.approx((columns["depth"][row] - 1) / 4)
        assert idle == pytest.approx(columns["idle"][row])
    heights = [(columns["loss"][line.number], line.places[-1]) for line in view.others]
    assert [place for _, place in sorted(heights)] == sorted(place for _, place in heights)


def test_many_parameters_and_trials_are_thinned_and_counted() -> None:
    """The most important come first."""
    rng = np.random.default_rng(0)
    columns = {f"p{i}": rng.random(900) for i in range(14)}
    columns["loss"] = columns["p7"]
    effects = condped.effects(columns, objective="loss")
    view = parallel_view(effects)
    assert len(view.axes) == 10
    assert view.axes[0].name == "p7"
    assert (len(view.target), len(view.others)) == (90, 400)
    assert view.note == "5 parameters of less importance not shown; 400 of 810 other trials drawn"
    with pytest.raises(NameNotFoundError):
        parallel_view(effects, ["nothing"])
    with pytest.raises(SettingsError, match="list of names"):
        parallel_view(effects, "p7")


@pytest.mark.parametrize("backend", ["plotly", "matplotlib"])
def test_both_libraries_draw_both_pictures(backend: Backend) -> None:
    """As many lines and panels as the views have; names are shown as they are."""
    found = joint()
    effects = condped.effects(trials(), objective="loss", space=SPACE)
    view = parallel_view(effects)
    pairs = condped.plot.pairs(found, backend=backend)
    drawn = condped.plot.parallel(effects, backend=backend)
    if backend == "plotly":
        assert [trace.type for trace in pairs.data] == ["heatmap", "scatter"]
        assert "<img" not in pairs.to_json() + drawn.to_json()
        breaks = [sum(x is None for x in trace.x) for trace in drawn.data]
        assert breaks == [len(view.others), len(view.target)]
        texts = [annotation.text for annotation in drawn.layout.annotations]
        assert texts.count("<i>absent</i>") == sum(axis.absent for axis in view.axes)
        return
    pairs.canvas.draw()
    drawn.canvas.draw()
    assert len(pairs.axes) == 2  # the pair and its colours
    lines = [len(one.get_segments()) for one in drawn.axes[0].collections]
    assert lines == [len(view.others), len(view.target)]


@pytest.mark.parametrize(
    ("low", "high", "log", "ticks"),
    [
        (0.0, 1.0, False, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (1e-5, 1e-1, True, [1e-5, 1e-4, 1e-3, 1e-2, 1e-1]),
        (2.0, 7.0, True, [2.0, 7.0]),
        (3.0, 3.0, False, [3.0]),
    ],
)
def test_ticks_are_round_numbers_or_the_ends(
    low: float, high: float, log: bool, ticks: list[float]
) -> None:
    """Each stands inside its scale."""
    assert scale_ticks(low, high, log) == pytest.approx(ticks)
    assert all(0 <= scaled(tick, low, high, log) <= 1 for tick in ticks)
