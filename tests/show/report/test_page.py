"""What stands in the file, without looking at it through a browser."""

from __future__ import annotations

import html
import json
import re
import subprocess
import sys
import zipfile
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import condped
from condped.analyse.report.assemble import source_name
from condped.analyse.report.numbers import slider_quantiles
from condped.errors import SettingsError
from condped.read.load_space import load_space
from tests.show.report.studies import ENDING, IMAGE, conditional, hostile

ROOT = Path(__file__).parents[3]


class _Elements(HTMLParser):
    """Collects tags, and what stands in scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        name = f"{self.tags[-1][0]}#{self.tags[-1][1].get('id', '')}" if self.tags else ""
        self.texts[name] = self.texts.get(name, "") + data


def parsed(text: str) -> _Elements:
    """Return the elements of a page."""
    elements = _Elements()
    elements.feed(text)
    return elements


def test_names_cannot_leave_the_data() -> None:
    """Two scripts, whatever the parameters are called; the data come back as they were."""
    made = condped.report(hostile(), title=ENDING)
    elements = parsed(made.html)
    assert [tag for tag, _ in elements.tags].count("script") == 2
    assert "img" not in [tag for tag, _ in elements.tags]
    data = json.loads(elements.texts["script#data"])
    assert {IMAGE, ENDING, "__proto__"} <= {p["name"] for p in data["parameters"]}
    assert data.pop("texts")["goal"] == "lowest <i>loss"
    assert data == json.loads(json.dumps(made.data))
    assert not re.search("[<>&\u2028\u2029]", elements.texts["script#data"])


def test_page_names_no_server() -> None:
    """No address, no style or script from elsewhere, and a policy that forbids to ask for any."""
    elements = parsed(condped.report(conditional()).html)
    policy = next(a["content"] for t, a in elements.tags if t == "meta" and "http-equiv" in a)
    assert policy is not None
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    for tag, attributes in elements.tags:
        assert "src" not in attributes, tag
        assert not (attributes.get("href") or "").startswith(("http", "//", "file")), tag


def test_readers_without_scripts_get_plain_text() -> None:
    """The table of ``condped importance`` stands in the page, too."""
    made = condped.report(conditional())
    assert str(made) == str(condped.importance(conditional()))
    assert html.escape(str(made)) in made.html
    assert "noscript" in [tag for tag, _ in parsed(made.html).tags]


def test_numbers_are_those_of_importance_at_each_step() -> None:
    """At every step and by both methods, with the evidence and the good values."""
    data = condped.report(conditional(), target_quantile=0.12).data
    assert data["steps"][data["start"]] == 0.12
    for step, quantile in list(enumerate(data["steps"]))[::4]:
        for method in ("paper", "calibrated"):
            told = condped.importance(conditional(), target_quantile=quantile, method=method)
            for entry in data["parameters"]:
                own, tested = told[entry["name"]], told.evidence[entry["name"]]
                assert entry["importance"][method][step] == pytest.approx(own.importance, abs=1e-5)
                assert entry["eta"][method][step] == pytest.approx(own.eta_squared, abs=1e-5)
                assert entry["p"][step] == _p_value(tested.p_value)
                assert entry["adjusted"][step] == _p_value(tested.adjusted_p_value)
                assert entry["verdict"][step] == (
                    "-" if tested.verdict == "not testable" else tested.verdict[0]
                )
                _same_regimes(entry["regimes"], told, entry["name"], step)


def _p_value(p_value: float) -> Any:
    """Return what the page has of a p-value: three digits, null if there is none."""
    return None if np.isnan(p_value) else pytest.approx(p_value, rel=5e-3)


def _counts(text: str, cells: int) -> list[int]:
    """Return counts as the page has them: digits to the base 36, or commas between numbers."""
    found = (
        [int(digit, 36) for digit in text[1:]]
        if text.startswith(":")
        else [int(number or 0) for number in text.split(",")]
    )
    return found + [0] * (cells - len(found))


def _same_regimes(regimes: list[dict[str, Any]], told: Any, name: str, step: int) -> None:
    present = [regime for regime in regimes if regime["domain"] is not None]
    for regime, density in zip(present, told.densities[name], strict=True):
        added = [_counts(text, regime["cells"]) for text in regime["target"][: step + 1]]
        assert np.sum(added, axis=0).tolist() == density.target.tolist()
        assert _counts(regime["region"], regime["cells"]) == density.region.tolist()
        shown = regime["good"].get(str(step), [])
        assert [good["label"] for good in shown] == [good.label for good in density.good]
    for regime, own in zip(regimes, told[name].regimes, strict=True):
        counts = [
            sum(_counts(text, regime.get("cells", 1))) for text in regime["target"][: step + 1]
        ]
        assert sum(counts) == own.target_trials


def test_branches_are_those_of_branches() -> None:
    """The same tree, and inside each branch the same numbers."""
    data = condped.report(conditional()).data
    names = [entry["name"] for entry in data["parameters"]]
    found = condped.branches(conditional())

    def same(nodes: Any, entries: Any) -> None:
        assert [names[entry["parameter"]] for entry in entries] == [n.parameter for n in nodes]
        for node, entry in zip(nodes, entries, strict=True):
            for branch, told in zip(node.branches, entry.get("branches", ()), strict=True):
                assert (told["label"], told["condition"]) == (branch.label, branch.condition)
                assert told["trials"] == branch.trials
                assert told["target"][data["start"]] == branch.target_trials
                for row in told["inside"]["parameters"]:
                    inner = branch.inside[names[row["parameter"]]]
                    value = row["importance"]["paper"][data["start"]]
                    assert value == pytest.approx(inner.importance, abs=1e-5)
                same(branch.nodes, told["nodes"])
            if node.choosing is not None:
                chosen = entry["choosing"][data["start"]]
                assert chosen == pytest.approx(node.choosing, abs=1e-5)

    same(found.roots, data["tree"]["roots"])


def test_advice_is_that_of_advise() -> None:
    """Steps, code and space."""
    data, advice = condped.report(conditional()).data["advice"], condped.advise(conditional())
    assert data["code"] == {
        "Optuna": advice.optuna_code(),
        "ConfigSpace, SMAC": advice.configspace_code(),
        "Ray Tune": advice.ray_code(),
        "Hyperopt": advice.hyperopt_code(),
    }
    assert [step["parameter"] for step in data["steps"]] == [s.parameter for s in advice.steps]
    assert load_space(data["space"]) == advice.space


def test_intervals_are_those_of_importance() -> None:
    """Of the step that was asked for, by the method that was asked for."""
    made = condped.report(conditional(), intervals="jackknife", method="calibrated").data
    told = condped.importance(conditional(), intervals="jackknife", method="calibrated")
    for entry in made["parameters"]:
        interval = told[entry["name"]].intervals
        assert interval is not None
        low = entry["low"]["calibrated"][made["start"]]
        assert low == pytest.approx(interval.importance.low, abs=1e-5)
    assert (made["method"], made["level"]) == ("calibrated", 0.9)


def test_the_slider_stays_below_the_region() -> None:
    """Every step is a target quantile that an analysis takes; the one asked for is among them."""
    for asked, region in ((0.1, 1.0), (0.123, 1.0), (0.05, 0.2), (0.005, 0.006), (0.999, 1.0)):
        steps = slider_quantiles(asked, region)
        assert asked in steps
        assert list(steps) == sorted(set(steps))
        assert all(0 < step < region for step in steps)
    assert len(slider_quantiles(0.1, 1.0)) == 24


def test_a_password_is_not_shown() -> None:
    """A URL is shown without what only its owner may know, and a path without its folders."""
    made = condped.report(conditional())
    assert made.data["title"] == ""
    assert "secret" not in source_name("postgresql://me:secret@host/studies?key=secret", None)
    assert source_name("/home/me/results.csv", None) == "results.csv"
    assert source_name("sqlite:///studies.db", "tuning") == "tuning"


def test_what_cannot_be_asked_is_refused(tmp_path: Path) -> None:
    """With the words of the analysis, and without a file."""
    path = tmp_path / "report.html"
    with pytest.raises(SettingsError, match="target_quantile must be"):
        condped.report(conditional(), path, target_quantile=2)
    with pytest.raises(SettingsError, match="intervals must be"):
        condped.report(conditional(), path, intervals="guess")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="does not take 'tittle'"):
        condped.report(conditional(), path, tittle="x")  # type: ignore[call-arg]
    assert not path.exists()


def test_a_page_is_replaced_as_a_whole(tmp_path: Path) -> None:
    """What is there is overwritten; nothing else is left beside it."""
    path = tmp_path / "report.html"
    path.write_text("before", encoding="utf-8")
    made = condped.report(conditional(), path)
    assert path.read_text(encoding="utf-8") == made.html
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(find_spec("hatchling") is None, reason="no hatchling to build a wheel with")
def test_a_wheel_holds_the_page(tmp_path: Path) -> None:
    """Template, style and scripts travel with the package."""
    code = (
        "from hatchling.builders.wheel import WheelBuilder;"
        f"print(next(WheelBuilder({str(ROOT)!r}).build(directory={str(tmp_path)!r})))"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, cwd=ROOT)
    (wheel,) = tmp_path.glob("*.whl")
    inside = set(zipfile.ZipFile(wheel).namelist())
    folder = ROOT / "src" / "condped" / "show" / "report"
    parts = [p for p in folder.rglob("*") if p.suffix in (".html", ".css", ".js")]
    assert len(parts) > 10
    for part in parts:
        assert part.relative_to(ROOT / "src").as_posix() in inside


def test_verdicts_of_branches_are_those_of_the_tree() -> None:
    """At the step that was asked for, adjusted over all branches."""
    rng = np.random.default_rng(3)
    gate = rng.integers(0, 6, 400)
    trials: dict[str, Any] = {"g": np.array(list("abcdef"))[gate], "loss": rng.random(400)}
    for place in range(12):
        trials[f"x{place}"] = np.where(gate == place // 2, rng.random(400), np.nan)
    trials["loss"] = trials["loss"] + np.nan_to_num(trials["x0"])
    options: dict[str, Any] = {"objective": "loss", "sampling": "random"}
    data = json.loads(json.dumps(condped.report(trials, **options).data))
    (root,) = [node for node in data["tree"]["roots"] if "branches" in node]
    names = [parameter["name"] for parameter in data["parameters"]]
    compared = 0
    for told, branch in zip(root["branches"], condped.branches(trials, **options), strict=True):
        for entry in told["inside"]["parameters"]:
            own = branch.inside.evidence[names[entry["parameter"]]]
            letter = {"matters": "m", "unclear": "u", "no evidence": "n", "not testable": "-"}[
                own.verdict
            ]
            assert entry["verdict"][data["start"]] == letter
            compared += 1
    assert compared >= 12


def test_a_report_without_advice_says_why() -> None:
    """No parameters, or a condition that no new space can have."""
    rng = np.random.default_rng(0)
    trials = {"a": rng.random(100), "b": rng.random(100), "loss": rng.random(100)}
    data = condped.report(trials, objective="loss", where="a < 0.5 or b < 0.5").data
    assert data["advice"] is None
    assert "joined by 'and'" in data["missing"]
    assert data["tree"] is not None
    nothing = condped.read([{"loss": 1.0}, {"loss": 2.0}], objective="loss", parameters=[])
    assert condped.report(nothing).data["advice"]["steps"] == []
