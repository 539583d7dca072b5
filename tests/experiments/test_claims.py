"""Claims: registered once, checked on data, shown as they were found."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from experiments import gallery
from experiments.claims import raw
from experiments.claims.checking import VERDICTS, check_all, where
from experiments.claims.page import page
from experiments.claims.registry import CLAIMS, Finding, Runs, all_claims, claim
from experiments.store import Store

ROOT = Path(__file__).parents[2]
FOUND = json.loads((ROOT / "experiments" / "claims.json").read_text(encoding="utf-8"))
SHOWN = json.loads((ROOT / "experiments" / "gallery.json").read_text(encoding="utf-8"))


def test_the_page_of_claims_shows_the_last_check() -> None:
    """If this fails after an edit: python -m experiments docs --render."""
    shown = (ROOT / "docs" / "trust" / "claims.md").read_text(encoding="utf-8")
    assert shown == page(FOUND, all_claims())


def test_the_page_of_figures_shows_the_last_run() -> None:
    """Every picture on it is there and small."""
    shown = (ROOT / "docs" / "trust" / "paper.md").read_text(encoding="utf-8")
    assert shown == gallery.page(SHOWN, FOUND)
    pictures = re.findall(r"\]\((paper/[^)]+)\)", shown)
    assert len(pictures) >= 13
    for picture in pictures:
        assert (ROOT / "docs" / "trust" / picture).stat().st_size <= gallery.LARGEST


def test_every_claim_was_checked_and_is_counted() -> None:
    """Names, verdicts and counts agree with the code."""
    names = [record["name"] for record in FOUND["claims"]]
    left = [record["name"] for record in FOUND["not_checked"]]
    assert sorted(names + left) == sorted(one.name for one in all_claims())
    for verdict in VERDICTS:
        own = [record for record in FOUND["claims"] if record["verdict"] == verdict]
        assert FOUND["counts"][verdict] == len(own)
    assert FOUND["counts"]["checked"] == len(names) >= 40
    by_basis = FOUND["counts"]["by basis"]
    assert sum(own["checked"] for own in by_basis.values()) == len(names)
    for basis, own in by_basis.items():
        assert own["checked"] == sum(record["basis"] == basis for record in FOUND["claims"])


def test_what_was_measured_on_other_surrogates_is_counted_and_marked_apart() -> None:
    """On the page of claims in a line of its own, on the page of figures at each claim."""
    other = "another surrogate generation"
    assert FOUND["counts"]["by basis"][other]["checked"] > 0
    shown = (ROOT / "docs" / "trust" / "paper.md").read_text(encoding="utf-8")
    for place in ("Figure 5", "Figure 15", "Table 1", "Table 2", "Table 3", "Table 4"):
        part = shown.partition(f"## {place}: ")[2].partition("\n## ")[0]
        assert other in part
        assert "(yahpo.md)" in part


def test_a_claim_that_does_not_hold_says_why() -> None:
    """No verdict but the plain one goes without a note."""
    for record in FOUND["claims"]:
        assert record["measured"]
        assert record["note"] or record["verdict"] == "holds", record["name"]


def test_links_lead_to_the_checks() -> None:
    """File and line are those of the decorated function."""
    for one in all_claims():
        file, line, name = where(one)
        lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
        assert lines[line - 1].startswith("@claim(")
        assert any(text.startswith(f"def {name}(") for text in lines[line : line + 15])


def test_claims_without_runs_are_named_and_not_counted(tmp_path: Path) -> None:
    """Checks that need no runs are made all the same."""
    wanted = [one for one in all_claims() if one.name in ("kappa", "nested-c0-peak")]
    found = check_all(wanted, Store(tmp_path, quick=True), lambda done, total, text: None)
    assert [record["name"] for record in found["claims"]] == ["kappa"]
    (missing,) = found["not_checked"]
    assert missing["name"] == "nested-c0-peak"
    assert "python -m experiments run figure-13 --quick" in missing["reason"]
    counts = {"checked": 1, "holds": 1, "holds partly": 0, "does not hold": 0}
    assert found["counts"] == counts | {"not checked": 1, "by basis": {"measured": counts}}


@pytest.mark.parametrize(
    ("problem", "gated", "leaks_all"),
    [("activation-overlap", "y", True), ("regime-dependent", "x", True), ("three-way", "y", False)],
)
def test_leakage_is_measured_and_can_fail(problem: str, gated: str, leaks_all: bool) -> None:
    """With three branches y cannot tell two of them apart, so less than the gate's part leaks."""
    trials = raw.sample(problem)
    found = trials.variances(gated, 0.3)
    gap = abs(found.total - found.within - trials.variances("c", 0.3).total)
    assert (gap < raw.TOLERANCE) is leaks_all
    assert (trials.inside("c", gated, 0.3) < raw.TOLERANCE) is leaks_all


def test_raw_variances_are_those_of_a_step_by_hand() -> None:
    """The best 30 % by a uniform value: a 0/1 variable of chance 0.3, decided by the value."""
    values = np.random.default_rng(0).random(raw.TRIALS)
    regime = (values > 0.5).astype(np.int64)
    found = raw.Sample(values, {"x": raw.column(regime, values)}).variances("x", 0.3)
    assert found.total == pytest.approx(0.21, abs=raw.TOLERANCE)
    # Half of the trials have the chance 0.6, the others 0.
    assert found.inter == pytest.approx(0.09, abs=raw.TOLERANCE)
    assert found.within == pytest.approx(0.12, abs=raw.TOLERANCE)


def test_a_claim_that_cannot_be_decided_is_not_counted(tmp_path: Path) -> None:
    """SHAP was timed at small sizes only: extrapolating is no check."""
    store = Store(tmp_path, quick=False)
    store.of("figure-6").mkdir(parents=True)
    rows = [{"seed": 42, "method": "shap/imputation", "trials": 512, "seconds": 2.0}]
    store.write("figure-6", 42, rows, 1.0)
    wanted = [one for one in all_claims() if one.name == "shap-slow"]
    found = check_all(wanted, store, lambda done, total, text: None)
    assert found["claims"] == []
    assert "Extrapolated" in found["not_checked"][0]["reason"]


def test_a_name_is_registered_once() -> None:
    """Two checks of one name would hide each other."""

    def check(runs: Runs) -> Finding:
        return Finding("holds", "1")

    register = claim("kappa", section="", place="", statement="")
    with pytest.raises(ValueError, match="two claims named 'kappa'"):
        register(check)
    assert CLAIMS["kappa"].check is not check


@pytest.mark.parametrize(
    ("place", "figure", "named"),
    [
        ("§5.2.2, Figures 1a and 1b", "Figure 1", True),
        ("§5.5.2, Figure 4, bottom row", "Figure 4", True),
        ("Appendix D.5, Figure 11", "Figure 1", False),
        ("§5.2.2", "Figure 5", False),
        ("Table 2", "Figure 2", False),
        ("§6.2, Figure 5 and Table 1", "Figure 1", False),
        ("§6.2, Figure 5 and Table 1", "Figure 5", True),
        ("§6.2, Figure 5 and Table 1", "Table 1", True),
        ("App. G.1, Figure 15 and Table 3", "Figure 3", False),
        ("Tables 1 and 3", "Table 3", True),
    ],
)
def test_a_place_names_its_figures(place: str, figure: str, named: bool) -> None:
    """Numbers of sections and of other figures do not count."""
    assert gallery.mentions(place, figure) is named
