"""Each branch is analysed once, whoever asks."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

import condped
from condped.count.trials import Trials
from condped.space.condition import Condition


def test_a_report_opens_each_branch_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The analysis of a branch at all quantiles serves the tree, the slider and both methods."""
    opened: Counter[str] = Counter()
    inside = Trials.inside

    def counted(self: Trials, condition: Condition) -> Any:
        opened[condition.text] += 1
        return inside(self, condition)

    monkeypatch.setattr(Trials, "inside", counted)
    table = condped.problems.get("nested").sample(300, seed=0)
    condped.report(table)
    assert set(opened.values()) == {1}
    assert set(opened) == {branch.condition for branch in condped.branches(table)}
