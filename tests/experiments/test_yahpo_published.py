"""The paper's tables, as transcribed."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from experiments.yahpo.published import CORRELATIONS, MEANS, METHODS, OBJECTIVES, Published

PAPER = Path(__file__).parents[3] / "shared" / "paper" / "condped-anova.tex"


@pytest.mark.skipif(not PAPER.is_file(), reason="the paper's source is not beside the project")
def test_every_number_stands_in_the_paper() -> None:
    """Rows are found in the paper's source again, in full."""
    text = re.sub(r"\\bm\{|\\texttt\{|[{}$]", "", PAPER.read_text(encoding="utf-8"))
    lines = {" ".join(line.split()) for line in text.splitlines()}
    for rows in OBJECTIVES.values():
        for row in rows:
            cells = [_pair(number, 3) for number in (row.low, row.mean, row.high)]
            assert f"{row.name} & {' & '.join(cells)} \\\\" in lines
    for family, instances in CORRELATIONS.items():
        for instance, numbers in instances.items():
            cells = [f"{numbers[method]:.2f}" for method in METHODS]
            assert f"{instance} & {' & '.join(cells)} \\\\" in lines
        for number in MEANS[family].values():
            assert any(line.startswith(_pair(number, 2)) for line in lines)


def _pair(number: Published, digits: int) -> str:
    return f"{number.value:.{digits}f} \\pm {number.error:.{digits}f}"


def test_the_last_rows_follow_from_the_rows_above() -> None:
    """Means and standard errors over instances, within rounding: a check of every column."""
    for family, instances in CORRELATIONS.items():
        for method in METHODS:
            values = np.array([row[method] for row in instances.values()])
            told = MEANS[family][method]
            assert told.value == pytest.approx(values.mean(), abs=0.0101)
            assert told.error == pytest.approx(values.std() / len(values) ** 0.5, abs=0.0101)


def test_the_tables_have_the_paper_s_shape() -> None:
    """Six instances of six learners, and four more of iaml; nothing out of range."""
    assert [len(rows) for rows in OBJECTIVES.values()] == [6] * 6
    assert list(OBJECTIVES) == list(CORRELATIONS["rbv2"])
    assert len(CORRELATIONS["iaml"]) == 4
    for rows in OBJECTIVES.values():
        assert all(0 <= row.low.value <= row.mean.value <= row.high.value <= 1 for row in rows)
