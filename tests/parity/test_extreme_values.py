"""A short part of `make parity`: extreme studies, with Optuna's numbers or a known reason."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.optuna_version import skip_before_optuna_5

skip_before_optuna_5("its evaluator for conditional studies")

from fuzz.parity.__main__ import campaign, compared  # noqa: E402
from fuzz.parity.evaluations import (  # noqa: E402
    BOTH_RAISE,
    SAME,
    TURNED,
    UNDETERMINED,
    Settings,
    evaluated,
)
from fuzz.parity.page import BEGIN, END, table  # noqa: E402
from fuzz.parity.studies import Studies  # noqa: E402

ROOT = Path(__file__).parents[2]


def test_extreme_studies_have_optunas_numbers() -> None:
    """To 1e-12, or as its own code gives without overflow."""
    kinds: set[str] = set()
    for number in range(25):
        found, _ = compared(7, number, times=4)
        assert found["unexplained"] == []
        kinds |= set(found["kinds"])
    assert {SAME, UNDETERMINED, TURNED} < kinds
    assert BOTH_RAISE not in kinds


def test_a_difference_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison is not blind: a wrong answer of ours is reported."""
    study = Studies(7, 0).study()
    asked = Settings(0.1, 1.0, local=True, target=None, evaluator=False)
    assert evaluated(study, asked).explained
    monkeypatch.setattr("condped.estimate.density._SCOTT", 1.06)
    assert not evaluated(study, asked).explained


def test_a_campaign_goes_on_where_it_was(tmp_path: Path) -> None:
    """Stopped and started again it counts the same as in one go."""
    kept = tmp_path / "parity.json"
    campaign(20, 3, kept)
    both = campaign(40, 3, kept)
    whole = campaign(40, 3, None)
    assert {**both, "seconds": 0} == {**whole, "seconds": 0}


def test_the_page_shows_the_campaign() -> None:
    """The stored counts: enough of them, and none without a reason."""
    stored = json.loads((ROOT / "fuzz" / "parity.json").read_text(encoding="utf-8"))
    assert stored["evaluations"] >= 100_000
    assert stored["studies"] >= 10_000
    assert stored["unexplained"] == []
    assert sum(stored["kinds"].values()) == stored["evaluations"]
    assert np.isfinite(stored["largest_distance"])
    page = (ROOT / "docs" / "trust" / "parity.md").read_text(encoding="utf-8")
    assert page.partition(BEGIN)[2].partition(END)[0] == table(stored) + "\n"
