"""Good values of each study, and what trials reached with and without them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import condped
from condped.errors import NameNotFoundError
from tests.analyse.across.families import OPTIONS, SPACE, family


def test_good_values_are_those_of_the_study_by_itself() -> None:
    """Where a parameter matters in a study, its good values are those that importance finds."""
    studies = family()
    across = condped.across(studies, **OPTIONS)
    alone = {name: condped.importance(study, **OPTIONS) for name, study in studies.items()}
    for cell in across.cells:
        own = alone[cell.study]
        labels = tuple(g.label for regime in own.densities[cell.parameter] for g in regime.good)
        assert cell.good == (labels if cell.verdict == "matters" else ())
    assert across.cell("rate", "adult").good  # type: ignore[union-attr]


def test_medians_inside_and_outside_are_those_of_the_trials() -> None:
    """Computed from the trials themselves, of those in which the parameter is active."""
    studies = family()
    across = condped.across(studies, **OPTIONS)
    cell = across.cell("rate", "higgs")
    assert cell is not None
    low, high = (float(end) for end in cell.good[0].split(" … "))
    active = [trial for trial in studies["higgs"] if "rate" in trial]
    rates = np.array([trial["rate"] for trial in active])
    losses = np.array([trial["loss"] for trial in active])
    # The label is rounded: no trial may lie between it and the exact end.
    inside = (rates >= low * 0.995) & (rates <= high * 1.005)
    assert len(cell.good) == 1
    assert cell.inside == pytest.approx(np.median(losses[inside]))
    assert cell.outside == pytest.approx(np.median(losses[~inside]))


def test_without_evidence_there_is_no_effect() -> None:
    """What does not matter has neither good values nor medians."""
    cells = condped.across(family(), **OPTIONS).cells
    silent = [cell for cell in cells if cell.verdict != "matters"]
    assert silent
    assert all((c.good, c.inside, c.outside) == ((), None, None) for c in silent)


def test_effects_and_branches_are_saved(tmp_path: Path) -> None:
    """A result that was saved and loaded equals the one that was saved."""
    across = condped.across(family(), **OPTIONS)
    across.save(tmp_path / "across.json")
    assert condped.load(tmp_path / "across.json") == across


def test_a_cell_of_an_unknown_name_is_refused() -> None:
    """None is for a study that does not have a parameter that others have."""
    one = [row | {"extra": float(k)} for k, row in enumerate(family()["adult"])]
    space = SPACE | {"extra": {"type": "float", "low": 0.0, "high": 300.0}}
    across = condped.across(
        {
            "adult": condped.read(one, objective="loss", space=space),
            "higgs": condped.read(family()["higgs"], objective="loss", space=SPACE),
        }
    )
    assert across.cell("extra", "adult") is not None
    assert across.cell("extra", "higgs") is None
    with pytest.raises(NameNotFoundError, match=r"no parameter 'rat'.*mean 'rate'"):
        across.cell("rat", "adult")
    with pytest.raises(NameNotFoundError, match="no study 'zz'"):
        across.cell("rate", "zz")
