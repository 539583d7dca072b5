"""Joint effects as text and as pictures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import condped
from condped.errors import SettingsError
from condped.show.views.heat_maps import joint_view

HOSTILE = ("<img src=x onerror=alert(1)>", "$x^2$", "名前\u202e")


def effects(parameters: int = 3) -> condped.JointEffects:
    """Return the effects of trials of which the first two must agree, names that are markup."""
    rng = np.random.default_rng(0)
    names = [HOSTILE[i] if i < len(HOSTILE) else f"p{i}" for i in range(parameters)]
    trials: dict[str, Any] = {name: rng.random(500) for name in names}
    same = (trials[names[0]] < 0.5) == (trials[names[1]] < 0.5)
    trials["loss"] = ~same + rng.random(500)
    return condped.joint_effects(trials, objective="loss", target_quantile=0.25)


def test_the_picture_has_each_pair_twice_and_no_parameter_with_itself() -> None:
    """A symmetric square with an empty diagonal, the strongest pair in its corner."""
    found = effects(4)
    view = joint_view(found)
    assert view.names[:2] == found[0].parameters
    np.testing.assert_array_equal(view.values, view.values.T)
    assert np.isnan(np.diag(view.values)).all()
    for effect in found:
        row, column = map(view.names.index, effect.parameters)
        assert view.values[row, column] == effect.eta_squared
    assert np.isfinite(view.values).sum() == 2 * len(found)


def test_of_many_parameters_the_strongest_are_drawn() -> None:
    """And the picture says how many are not."""
    view = joint_view(effects(30))
    assert len(view.names) == 20
    assert "10 more parameters with weaker joint effects not shown" in (view.note or "")


@pytest.mark.parametrize("backend", ["matplotlib", "plotly"])
def test_both_libraries_draw_the_same_square(backend: Any) -> None:
    """Labels in the order of the view; names are shown as they are."""
    found = effects()
    view, figure = joint_view(found), condped.plot.joint(found, backend=backend)
    if backend == "plotly":
        square, dots = figure.data
        assert len(dots.x) == 2 * sum(effect.verdict == "matters" for effect in found)
        values = np.array(square.z, dtype=float)
        assert "<img" not in figure.to_json()
    else:
        (axes, _) = figure.axes
        values = np.asarray(axes.collections[0].get_array().filled(np.nan))
        assert len(axes.get_yticklabels()) == len(view.labels)
    np.testing.assert_array_equal(values, view.values)
    with pytest.raises(SettingsError, match=r"condped\.joint_effects"):
        condped.plot.joint(3, backend=backend)  # type: ignore[arg-type]


def test_nothing_to_pair_is_said() -> None:
    """One parameter makes no pair."""
    rng = np.random.default_rng(0)
    found = condped.joint_effects({"x": rng.random(300), "loss": rng.random(300)}, objective="loss")
    assert len(found) == 0
    assert "No two parameters" in str(found)
    assert joint_view(found).note
    for backend in ("matplotlib", "plotly"):
        condped.plot.joint(found, backend=backend)


def test_the_text_lists_pairs_and_trials() -> None:
    """The strongest first, hostile letters as codes, in a hundred columns."""
    text = str(effects())
    assert text.startswith("Pairs that together reach the best 25 % of 500 trials (lowest loss)")
    assert "\\u202e" in text
    assert "500 of 500 trials used; 125 in the target set." in text
    assert max(map(len, text.splitlines())) <= 100


def noise(trials: int) -> condped.JointEffects:
    """Return the effects of parameters that do nothing."""
    rng = np.random.default_rng(0)
    columns = {name: rng.random(trials) for name in ("a", "b", "c", "loss")}
    return condped.joint_effects(columns, objective="loss")


@pytest.mark.parametrize("backend", ["matplotlib", "plotly"])
@pytest.mark.parametrize("trials", [200, 500, 2000])
def test_noise_does_not_look_strong(trials: int, backend: Any) -> None:
    """The colours go on beyond what chance gives, and the picture says how far."""
    found = noise(trials)
    view, figure = joint_view(found), condped.plot.joint(found, backend=backend)
    strongest = float(np.nanmax(view.values))
    if backend == "plotly":
        highest = figure.data[0].zmax
        shown = figure.layout.title.text
    else:
        highest = figure.axes[0].collections[0].norm.vmax
        shown = figure.axes[0].get_xlabel()
    assert highest == view.highest >= max(0.05, 1.5 * strongest)
    assert f"the colours extend to {highest:.2g}" in " ".join(shown.split("\n"))


def test_a_strong_pair_has_the_strongest_colour() -> None:
    """The scale ends at the largest η² where that is more than noise."""
    found = effects()
    view = joint_view(found)
    assert view.highest == found[0].eta_squared > 0.15
    assert view.note == "dots: statistically significant"


def test_verdicts_stand_beside_the_pairs() -> None:
    """In rows, text and picture: the pair that decides matters, nothing else much."""
    found = effects()
    row = found.rows()[0]
    assert (row["verdict"], row["p_value"] < 1e-6) == ("matters", True)
    assert row["adjusted_p_value"] >= row["p_value"]
    assert "matters" in str(found)
    assert joint_view(noise(500)).note is not None
    assert "no pair is statistically significant" in str(joint_view(noise(500)).note)
