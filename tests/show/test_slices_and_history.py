"""Slices and histories: what stands where, and that both libraries draw it."""

from __future__ import annotations

from typing import Any

import numpy as np
import optuna
import pytest
from matplotlib.figure import Figure

import condped
from condped.errors import NameNotFoundError, SettingsError
from condped.show.views.history import history_view
from condped.show.views.slices import slices_view
from condped.show.views.value_axis import ValueAxis
from tests.analyse.effects.studies import SPACE, found, mixed
from tests.analyse.summary.test_summary import timed
from tests.show.cases import EQUAL, NOTHING, hostile, wide

BACKENDS = ("matplotlib", "plotly")


@pytest.fixture(scope="module", name="effects")
def _effects() -> condped.Effects:
    return found(mixed())


def test_each_trial_is_one_dot_of_its_regime(effects: condped.Effects) -> None:
    """At its value, coloured by set; choices are spread a little, always alike."""
    frame = mixed()
    view = slices_view(effects)
    panels = {one.title: one for one in view.panels}
    assert set(panels) == {"rate", "model", "depth", "idle"}
    for name in ("rate", "idle"):
        dots = {n: x for d in panels[name].dots for x, n in zip(d.x, d.numbers, strict=True)}
        assert dots == frame[name].dropna().to_dict()
    target = {n for d in panels["idle"].dots if d.kind == "target" for n in d.numbers}
    assert target == set(frame["loss"].nsmallest(50).index)
    places = {n: x for d in panels["model"].dots for x, n in zip(d.x, d.numbers, strict=True)}
    for number, model in frame["model"].items():
        assert abs(places[number] - ["svm", "tree", "knn"].index(model)) <= 0.25
    assert slices_view(effects) == view


def test_steps_are_the_medians_of_the_bins(effects: condped.Effects) -> None:
    """With their intervals, from one end of a bin to the other."""
    (one,) = slices_view(effects, ["rate"]).panels
    bins = effects["rate"].regimes[0].bins
    assert one.log
    assert [(s.left, s.right) for s in one.steps] == [(b.left, b.right) for b in bins]
    assert [s.median for s in one.steps] == [b.reached[0].median for b in bins]
    contrast = effects["rate"].regimes[0].contrast
    assert contrast is not None
    assert one.spans == tuple((span.low, span.high) for span in contrast.spans)
    assert one.words.startswith(f"good: {contrast.inside.label}\nmedian ")


def test_axes_keep_most_values_apart() -> None:
    """Far worse ones stand at the end and are counted; low positive ones get a log axis."""
    values = [0.9, 0.91, 0.92, 0.93, 0.05]
    axis = ValueAxis.of(values, "maximize", missing=False)
    assert (axis.beyond, axis.log) == (1, False)
    assert axis.first == pytest.approx(0.93 - 4 * 0.02)
    assert axis.low < axis.first
    assert axis.place(0.05) == axis.first
    assert axis.place(None) is None
    axis = ValueAxis.of([0.01, 0.02, 0.03, 0.04, 5.0], "minimize", missing=True)
    assert (axis.beyond, axis.log) == (0, True)
    assert axis.strip is not None
    assert 0 < axis.low < axis.strip < 0.01
    assert ValueAxis.of([], "minimize", missing=False).low < 0


def test_histories_are_steps_of_the_best() -> None:
    """Over trials and over time; failed trials stand below, running ones nowhere."""
    summary = condped.summary(timed())
    view = history_view(summary)
    assert (view.x, view.best) == ((0, 2, 4, 6), (3, 2, 1, 1))
    numbers = {dots.kind: dots.numbers for dots in view.dots}
    assert numbers == {"other": (0, 2, 4, 6), "pruned": (3,), "failed": (1,)}
    timely = history_view(summary, over="time")
    assert (timely.x, timely.best) == ((10, 25, 60, 60), (3, 2, 1, 1))
    assert timely.note == "2 without a recorded time not shown"
    loss = [1.0] + [2.0] * 30
    plateau = history_view(
        condped.summary({"x": np.arange(31) % 7, "loss": loss}, objective="loss")
    )
    assert plateau.plateau == (0.0, 30.0)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "source", [wide(1), wide(12, long=True), hostile(), EQUAL, NOTHING], ids=len
)
def test_whatever_there_is_can_be_drawn(backend: Any, source: dict[str, Any]) -> None:
    """Also one parameter, markup for names, equal values, and nothing at all."""
    effects = condped.effects(source, objective="loss", sampling="random")
    summary = condped.summary(source, objective="loss")
    for figure in (
        condped.plot.slice(effects, backend=backend),
        condped.plot.history(summary, backend=backend),
    ):
        if backend == "matplotlib":
            figure.canvas.draw()
        else:
            text = figure.to_json()
            assert "<img src=x" not in text


@pytest.mark.parametrize("backend", BACKENDS)
def test_several_objectives_are_drawn_one_at_a_time(backend: Any) -> None:
    """By name or position; others are refused."""
    frame = mixed(120)
    frame["seconds"] = 5 - 3 * frame["idle"]
    options: dict[str, Any] = {"objective": ["loss", "seconds"], "space": SPACE}
    effects = condped.effects(frame, sampling="random", **options)
    summary = condped.summary(frame, **options)
    condped.plot.slice(effects, objective="seconds", backend=backend)
    condped.plot.history(summary, objective=1, backend=backend)
    assert slices_view(effects, objective="seconds").objective == "seconds"
    assert history_view(summary, objective=-1).objective == "seconds"
    with pytest.raises(NameNotFoundError, match=r"objective 'second'.*'seconds'"):
        condped.plot.slice(effects, objective="second", backend=backend)


def test_slices_fit_a_column_of_a_paper(effects: condped.Effects) -> None:
    """One panel above the other, on a figure of 3.3 inches."""
    figure = Figure(figsize=(3.3, 6), layout="constrained")
    condped.plot.slice(effects, ["rate", "model"], columns=1, backend="matplotlib", on=figure)
    assert len({round(ax.get_position().x0, 2) for ax in figure.axes}) == 1


def test_wrong_requests_are_refused(effects: condped.Effects) -> None:
    """In words."""
    summary = condped.summary(mixed(50), objective="loss")
    with pytest.raises(SettingsError, match=r"condped\.plot\.slice takes a result of condped\.eff"):
        condped.plot.slice(summary)  # type: ignore[arg-type]
    with pytest.raises(NameNotFoundError, match=r"parameter 'rte'.*'rate'"):
        condped.plot.slice(effects, "rte")
    with pytest.raises(SettingsError, match="does not record when"):
        condped.plot.history(summary, over="time")
    with pytest.raises(SettingsError, match="over must be"):
        condped.plot.history(summary, over="days")  # type: ignore[arg-type]


@pytest.mark.parametrize("columns", [0, -1, 2.5, "3", True, [2], float("nan")])
def test_columns_that_are_no_whole_number_are_refused(
    effects: condped.Effects, columns: Any
) -> None:
    """Before a library complains in its own words."""
    with pytest.raises(SettingsError, match="columns must be a whole number, 1 or above"):
        condped.plot.slice(effects, columns=columns)
    assert slices_view(effects, columns=np.int64(2)).columns == 2  # type: ignore[arg-type]


@pytest.mark.parametrize("objective", [0.0, True, ["loss"], ("loss",), object()])
def test_an_objective_is_a_name_or_a_position(effects: condped.Effects, objective: Any) -> None:
    """Of all pictures that draw one objective; positions that do not exist are listed."""
    summary = condped.summary(mixed(50), objective="loss")
    pictures: list[tuple[Any, Any]] = [
        (condped.plot.slice, effects),
        (condped.plot.parallel, effects),
        (condped.plot.history, summary),
    ]
    for draw, result in pictures:
        with pytest.raises(SettingsError, match=r"objective must be a name or a position.*'loss'"):
            draw(result, objective=objective)
        with pytest.raises(NameNotFoundError, match=r"no objective number 7\. Available: '0'"):
            draw(result, objective=7)


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_a_name_of_two_objectives_does_not_say_which_to_draw() -> None:
    """Their positions do."""
    study = optuna.create_study(directions=["minimize", "minimize"])
    study.set_metric_names(["loss", "loss"])
    study.optimize(lambda trial: (trial.suggest_float("x", 0, 1), trial.number), n_trials=5)
    summary = condped.summary(study)
    with pytest.raises(SettingsError, match=r"2 objectives named 'loss'.*position, 0 to 1"):
        condped.plot.history(summary, objective="loss")
    assert condped.plot.history(summary, objective=1) is not None
