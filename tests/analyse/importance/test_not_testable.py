"""What is not testable has a reason, and no p-value anywhere."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import condped
from condped.show.notebook import importance_html

SPACE = {
    "x": {"type": "float", "low": 0, "high": 1},
    "same": {"type": "float", "low": 0, "high": 1},
    "kind": {"type": "categorical", "choices": ["good", "bad"]},
    "lost": {"when": "kind == 'bad'", "type": "float", "low": 0, "high": 1},
    "never": {"when": "kind == 'bad' and x > 2", "type": "float", "low": 0, "high": 1},
}
REASONS = {
    "x": "",
    "same": "it takes only one value where it is active",
    "kind": "",
    "lost": "no trial of the target set has it active",
    "never": "fewer than two trials have it active",
}


def trials(size: int = 80) -> dict[str, Any]:
    """Return trials of which one parameter never varies, and others are never in the target set."""
    rng = np.random.default_rng(0)
    bad = np.arange(size) % 2 == 1
    x = rng.random(size)
    return {
        "x": x,
        "same": np.full(size, 0.5),
        "kind": np.where(bad, "bad", "good"),
        "lost": np.where(bad, rng.random(size), np.nan),
        "never": np.full(size, np.nan),
        "loss": x + 2 * bad,
    }


def asked(**options: Any) -> condped.ImportanceResult:
    """Return the importances of these trials."""
    options = {"sampling": "random"} | options
    return condped.importance(trials(), objective="loss", space=SPACE, **options)


def texts(value: Any) -> Iterator[str]:
    """Iterate over all texts in plain data."""
    if isinstance(value, dict):
        for entry in value.values():
            yield from texts(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from texts(entry)
    elif isinstance(value, str):
        yield value


@pytest.mark.parametrize("method", ["paper", "calibrated"])
def test_every_parameter_says_why(method: Any) -> None:
    """The reason is that of the trials; what was tested has none."""
    evidence = asked(method=method).evidence
    assert {one.name: one.reason for one in evidence} == REASONS
    for one in evidence:
        assert (one.verdict == "not testable") == bool(one.reason) == np.isnan(one.p_value)


def test_too_few_trials_are_a_reason() -> None:
    """With one trial there is nothing to compare."""
    evidence = condped.importance({"x": [0.5], "loss": [1.0]}, objective="loss").evidence
    assert evidence["x"].reason == "fewer than two trials"


def test_texts_say_the_reason_and_how_trials_were_tested() -> None:
    """Each on a line of its own."""
    result = asked()
    lines = " ".join(str(result).split())
    assert "Not testable: same (it takes only one value where it is active)." in lines
    assert "Tested: compared among all trials (treated as drawn at random, as sampling says)." in (
        lines
    )
    assert "Compared among" not in result.evidence.message
    html = importance_html(result)
    assert "Tested: compared among all trials" in html
    assert 'title="it takes only one value where it is active"' in html


def test_trials_without_an_order_say_so(tmp_path: Path) -> None:
    """Nothing was tested, so no line says how; the reason says what to do."""
    duckdb = pytest.importorskip("duckdb")
    rng = np.random.default_rng(0)
    numbers = ", ".join(f"({a}, {b})" for a, b in rng.random((60, 2)))
    found = condped.importance(
        duckdb.sql(f"select * from (values {numbers}) as t(x, loss)"),
        objective="loss",
        engine="stream",
        space={"x": SPACE["x"]},
    )
    assert found.evidence["x"].reason.startswith("the table has no order in time")
    text = " ".join(str(found).split())
    assert "Tested:" not in text
    assert "Set order to a column" in text


def test_no_p_value_is_null_in_plain_data() -> None:
    """In rows, in JSON and in the data of a page; never a text for it."""
    result = asked()
    rows = {row["parameter"]: row for row in result.rows()}
    assert rows["same"]["p_value"] is None
    assert rows["same"]["reason"] == REASONS["same"]
    assert rows["x"]["reason"] is None
    data = json.loads(json.dumps(result.to_data(), allow_nan=False))
    entry = next(one for one in data["parameters"] if one["parameter"] == "lost")
    assert entry["p_value"] is None
    assert entry["adjusted_p_value"] is None
    assert data["sampling"].startswith("Compared among all trials")
    curve = condped.sweep(trials(), objective="loss", space=SPACE, sampling="random")
    assert np.isnan(curve.p_values[:, 1]).all()
    told = json.loads(json.dumps(curve.to_data(), allow_nan=False))
    assert set(told["parameters"]["same"]["p_value"]) == {None}
    page = condped.report(trials(), objective="loss", space=SPACE, sampling="random")
    same = next(one for one in page.data["parameters"] if one["name"] == "same")
    assert set(same["p"]) == set(same["adjusted"]) == {None}
    assert same["reason"] == [REASONS["same"]]
    assert page.data["sampling"] == result.evidence.sampling
    told_of_x = [row for row in page.rows() if row["parameter"] == "x"]
    assert {row["reason"] for row in told_of_x if row["target_quantile"] < 0.99} == {None}
    for plain in (data, told, page.data):
        assert "nan" not in set(texts(plain))


@pytest.mark.parametrize("method", ["paper", "calibrated"])
@pytest.mark.parametrize("sampling", ["random", "tpe"])
def test_saved_and_pickled_results_know_it(tmp_path: Path, method: Any, sampling: Any) -> None:
    """Reasons, and how trials were tested, come back; the file has null."""
    result = asked(method=method, sampling=sampling)
    result.save(tmp_path / "result.json")
    assert "nan" not in set(texts(json.loads((tmp_path / "result.json").read_text())))
    for again in (condped.load(tmp_path / "result.json"), pickle.loads(pickle.dumps(result))):
        assert isinstance(again, condped.ImportanceResult)
        assert again == result
        assert again.rows() == result.rows()
        assert again.evidence.sampling == result.evidence.sampling
        assert again.evidence.message == result.evidence.message
        assert [one.reason for one in again.evidence] == [one.reason for one in result.evidence]
