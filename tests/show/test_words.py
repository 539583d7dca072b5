"""Numbers and verdicts make sense side by side, in every output."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import condped
from condped.show.views.bars import bars_view, breakdown_view
from condped.show.views.panels import panels_view
from condped.show.words import (
    importance_label,
    reason_lines,
    regime_name,
    share_text,
)
from tests.data import wine


def tiny() -> condped.ImportanceResult:
    """Return a result in which a parameter matters with a share that rounds to 0."""
    result = condped.importance(condped.problems.get("nested").sample(500, seed=0))
    assert result.evidence["c0"].verdict == "matters"
    parameters = tuple(
        replace(p, importance=0.0004) if p.name == "c0" else p for p in result.parameters
    )
    changed = replace(result, parameters=parameters)
    vars(changed)["evidence"] = result.evidence
    return changed


def test_nothing_matters_with_a_share_of_zero() -> None:
    """Not in a text, a notebook or a picture."""
    result = tiny()
    row = next(line for line in str(result).splitlines() if line.startswith("c0"))
    assert row.split()[1:3] == ["<", "0.001"]
    assert "&lt; 0.001" in result._repr_html_()
    assert next(bar for bar in bars_view(result).bars if bar.name == "c0").text == (
        "< 0.001  matters  (< 0.75: all 50)"
    )
    none = replace(
        result,
        parameters=tuple(
            replace(p, importance=0.0) if p.name == "c0" else p for p in result.parameters
        ),
    )
    vars(none)["evidence"] = result.evidence
    row = next(line for line in str(none).splitlines() if line.startswith("c0"))
    assert "0.000" not in row.split()[:3]
    assert "≈ 0: statistically significant, but too small to give it a share." in str(none)


@pytest.mark.parametrize(
    ("value", "shown"), [(0.0, "0.000"), (4.9e-4, "< 0.001"), (5e-4, "0.001"), (1.0, "1.000")]
)
def test_shares_that_are_not_zero_do_not_look_like_it(value: float, shown: str) -> None:
    """Zero does."""
    assert share_text(value) == shown
    assert importance_label(value, "no evidence") == shown


def few() -> dict[str, Any]:
    """Return few trials that one parameter decides: smoothing carries its η² beyond 1."""
    rng = np.random.default_rng(0)
    x = rng.random(30)
    return {"x": x, "y": rng.random(30), "loss": x}


def test_eta_above_one_is_said_to_be_an_artefact() -> None:
    """The number itself stays in the data, with a note."""
    result = condped.importance(few(), objective="loss")
    assert result["x"].eta_squared > 1.4
    said = "η² above 1 is not a share: smoothing overstates it"
    assert said in str(result)
    assert "> 1" in str(result)
    assert f"{result['x'].eta_squared:.3f}" not in str(result)
    rows = {row["parameter"]: row for row in result.rows()}
    assert rows["x"]["eta_squared"] > 1
    assert rows["x"]["note"].startswith(said)
    assert rows["y"]["note"] is None
    assert said in result._repr_html_()


def test_no_number_of_the_tree_is_above_one() -> None:
    """The forests of the study are four trials, whose η² goes beyond."""
    found = condped.branches(wine())
    assert any(p.eta_squared > 1.01 for branch in found for p in branch.inside)
    text = str(found)
    assert "> 1" in text
    assert "η² above 1 is not a share: smoothing overstates it" in text


def test_the_tree_explains_no_number_that_it_does_not_show() -> None:
    """A parameter outside the branch without evidence there is in no line, whatever its η²."""
    found = condped.branches(hidden(), objective="loss")
    assert any(p.eta_squared > 1.01 for branch in found for p in branch.inside)
    text = str(found)
    assert "> 1" not in text
    assert "η² above 1" not in text


def hidden() -> dict[str, Any]:
    """Return trials in which a parameter outside a branch of five seems to decide there."""
    rng = np.random.default_rng(2)
    model = np.array(["a"] * 95 + ["b"] * 5)
    x, y = rng.random(100), rng.random(100)
    loss = np.where(model == "a", rng.random(100), 2 + x)
    return {"model": model, "x": x, "y": np.where(model == "a", y, np.nan), "loss": loss}


@dataclass(frozen=True)
class Told:
    """A parameter's evidence with a reason."""

    verdict: str
    reason: str


def test_verdicts_with_the_same_reason_share_a_line() -> None:
    """In a table the verdict alone, with the reasons below, each once."""
    one = Told("not testable", "only one value.")
    many = dict.fromkeys("abcdefgh", one) | {"x": Told("matters", "")}
    lines = reason_lines(many, list(many))  # type: ignore[arg-type]
    assert lines == ["Not testable: a, b, c, d, e, f and 2 more (only one value)."]


def test_pictures_say_ties_above_their_titles() -> None:
    """With both libraries, and the curves mark where ties keep the target set the same."""
    said = "91 of 139 trials share the best value 0.99"
    result, curve = condped.importance(wine()), condped.sweep(wine())
    pictures: tuple[tuple[Any, Any], ...] = (
        (condped.plot.importance, result), (condped.plot.regimes, result),
        (condped.plot.densities, result), (condped.plot.sweep, curve),
        (condped.plot.heatmap, curve), (condped.plot.comparison, {"paper": result}),
    )  # fmt: skip
    for draw, drawn in pictures:
        title = " ".join(draw(drawn).layout.title.text.replace("<br>", " ").split())
        assert title.index(said) < 50
        figure = draw(drawn, backend="matplotlib")
        texts = [figure.get_suptitle(), *(ax.get_title(loc="left") for ax in figure.axes)]
        assert any(" ".join(text.split()).find(said) in range(50) for text in texts)
    strips = [trace for trace in condped.plot.sweep(curve).data if trace.legendgroup == "flat"]
    assert [tuple(trace.x) for trace in strips] == [(0.01, 0.65), (0.66, 0.96)]


def idle(parameters: int, **more: Any) -> condped.ImportanceResult:
    """Return the importances of one parameter that decides, beside some that do nothing."""
    rng = np.random.default_rng(0)
    columns: dict[str, Any] = {f"p{i}": rng.random(200) for i in range(parameters)}
    loss = columns["p0"] + rng.normal(0, 0.05, 200)
    return condped.importance(
        {**columns, **more, "loss": loss}, objective="loss", method="calibrated"
    )


def test_parameters_without_anything_share_a_line() -> None:
    """In texts and notebooks, each verdict on a line of its own; rows and data stay complete."""
    result = idle(16, constant=[1.0] * 200)
    silent = [p.name for p in result if result.evidence[p.name].verdict == "no evidence"]
    assert all(result[name].importance == 0 for name in silent)
    shown = [p.name for p in result if p.name not in {*silent, "constant"}]
    lines = str(result).splitlines()
    begin = lines.index("") + 2
    assert [line.split()[0] for line in lines[begin : begin + len(shown)]] == shown
    named = ", ".join(silent[:8])
    told = f"{len(silent)} others: 0.000, no evidence: {named} and {len(silent) - 8} more"
    assert lines[begin + len(shown)] == told
    assert lines[begin + len(shown) + 1] == "1 other: 0.000, not testable: constant"
    assert "Not testable: constant (it takes only one value where it is active)." in lines
    assert told in result._repr_html_()
    assert result._repr_html_().count("<tr>") == 1 + len(shown)
    assert len(result.rows()) == 17


def test_few_parameters_without_anything_keep_their_rows() -> None:
    """Nothing is gained by a line of four."""
    text = str(idle(4))
    assert "others" not in text
    assert all(f"\np{i}" in text for i in range(4))


def test_bars_without_evidence_are_grey_in_notebooks() -> None:
    """Blue says that something matters."""
    result = condped.importance(condped.problems.get("nested").sample(300, seed=2))
    colours = {"matters": "#3b8fc2", "unclear": "#8fc3e3"}
    rows = result._repr_html_().split("<tr>")[2:]
    verdicts = {result.evidence[p.name].verdict for p in result}
    assert {"matters", "not testable"} <= verdicts
    for row, parameter in zip(rows, result, strict=False):
        verdict = result.evidence[parameter.name].verdict
        assert f"background:{colours.get(verdict, '#9a9a9a')}" in row


def test_regimes_are_named_by_their_conditions() -> None:
    """Where they are known: in texts, rows, saved results, pictures and the page's data."""
    table = condped.problems.get("activation-disjoint").sample(500, seed=0)
    result = condped.importance(table)
    share = 100 * result["x"].regimes[0].region_share
    assert f"where c < 0.5 ({share:.3g} %): [-5, -2]" in str(result)
    rows = {(row["parameter"], row["regime"]): row["condition"] for row in result.regime_rows()}
    assert rows == {
        ("x", "[-5, -2]"): "c < 0.5", ("x", "absent"): None, ("c", "[0, 1]"): None,
        ("y", "[2, 5]"): "c >= 0.5", ("y", "absent"): None,
    }  # fmt: skip
    assert breakdown_view(result).rows[0].parts[0].label == "where c < 0.5"
    assert panels_view(result, ["x"]).panels[0].title == "x where c < 0.5"
    page = condped.report(table).data["parameters"]
    assert {
        (one["name"], regime["label"]): regime.get("condition")
        for one in page
        for regime in one["regimes"]
        if regime["domain"]
    } == {("c", "[0, 1]"): None, ("x", "[-5, -2]"): "c < 0.5", ("y", "[2, 5]"): "c >= 0.5"}


def test_conditions_survive_saving_and_pickling(tmp_path: Path) -> None:
    """Also of domains that were recorded with choices."""
    result = condped.importance(wine())
    assert result.conditions
    result.save(tmp_path / "result.json")
    loaded = condped.load(tmp_path / "result.json")
    assert isinstance(loaded, condped.ImportanceResult)
    assert loaded.conditions == result.conditions
    assert pickle.loads(pickle.dumps(result)).conditions == result.conditions


def test_numbers_in_conditions_are_short_and_texts_are_whole() -> None:
    """Nobody reads sixteen digits; a choice is what it is."""
    space = {
        "c": {"type": "float", "low": 0, "high": 1},
        "k": {"type": "categorical", "choices": ["0.123456789", "b"]},
        "x": {"type": "float", "low": 0, "high": 1,
              "when": "c < 0.3333333333 and k == '0.123456789'"},
    }  # fmt: skip
    rng = np.random.default_rng(0)
    c, k, x = rng.random(80), rng.integers(0, 2, 80), rng.random(80)
    there = (c < 0.3333333333) & (k == 0)
    columns = {
        "c": c, "k": [["0.123456789", "b"][i] for i in k], "x": np.where(there, x, np.nan),
        "loss": c,
    }  # fmt: skip
    result = condped.importance(columns, objective="loss", space=space)
    regime = next(regime for regime in result["x"].regimes if regime.domain)
    told = "where c < 0.3333 and k == '0.123456789'"
    assert regime_name(result, "x", regime.domain) == told
