"""Claims: registered once, checked on data, shown as they were found."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from experiments import gallery
from experiments.claims.checking import VERDICTS, check_all, where
from experiments.claims.page import page
from experiments.claims.registry import CLAIMS, Finding, Runs, all_claims, claim
from experiments.store import Store

ROOT = Path(__file__).parents[2]
FOUND = json.loads((ROOT / "experiments" / "claims.json").read_text(encoding="utf-8"))
SHOWN = json.loads((ROOT / "experiments" / "gallery.json").read_text(encoding="utf-8"))


def test_the_page_of_claims_shows_the_last_check() -> None:
    """If this fails after an edit: python -m experiments docs --render."""
    shown = (ROOT / "docs" / "claims.md").read_text(encoding="utf-8")
    assert shown == page(FOUND, all_claims())


def test_the_page_of_figures_shows_the_last_run() -> None:
    """Every picture on it is there and small."""
    shown = (ROOT / "docs" / "paper.md").read_text(encoding="utf-8")
    assert shown == gallery.page(SHOWN, FOUND)
    pictures = re.findall(r"\]\((paper/[^)]+)\)", shown)
    assert len(pictures) >= 13
    for picture in pictures:
        assert (ROOT / "docs" / picture).stat().st_size <= gallery.LARGEST


def test_every_claim_was_checked_and_is_counted() -> None:
    """Names, verdicts and counts agree with the code."""
    names = [record["name"] for record in FOUND["claims"]]
    left = [record["name"] for record in FOUND["not_checked"]]
    assert sorted(names + left) == sorted(one.name for one in all_claims())
    for verdict in VERDICTS:
        own = [record for record in FOUND["claims"] if record["verdict"] == verdict]
        assert FOUND["counts"][verdict] == len(own)
    assert FOUND["counts"]["checked"] == len(names) >= 40


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
    assert found["counts"] == {
        "checked": 1, "holds": 1, "holds partly": 0, "does not hold": 0, "not checked": 1,
    }  # fmt: skip


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
    ],
)
def test_a_place_names_its_figures(place: str, figure: str, named: bool) -> None:
    """Numbers of sections and of other figures do not count."""
    assert gallery.mentions(place, figure) is named
