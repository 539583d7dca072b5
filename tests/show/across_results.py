"""Comparisons of made-up studies, of any size, without counting a trial."""

from __future__ import annotations

import numpy as np

import condped
from condped.analyse.across.branches import StudyBranch
from condped.analyse.across.result import (
    Across,
    ComparedStudy,
    PooledParameter,
    StudyImportance,
)
from condped.analyse.evidence.evidence import Verdict
from condped.estimate.settings import Settings
from tests.analyse.across.families import OPTIONS, family

VERDICTS: tuple[Verdict, ...] = ("matters", "unclear", "no evidence", "not testable")


def compared() -> Across:
    """Return four real studies, compared."""
    return condped.across(family(), **OPTIONS)


def made_up(
    parameters: int, studies: int, *, prefix: str = "", odd: tuple[int, int] | None = None
) -> Across:
    """Return a comparison with numbers drawn at random; not every study has every parameter."""
    rng = np.random.default_rng(0)
    names = [f"{prefix}parameter {place}" for place in range(parameters)]
    runs = [f"{prefix}study {place}" for place in range(studies)]
    cells, pooled = [], []
    for row, name in enumerate(names):
        own = []
        for column, run in enumerate(runs):
            if (row + column) % 7 == 6:
                continue
            value = float(rng.uniform(0, 1 / (row + 1)))
            verdict = VERDICTS[int(rng.integers(4))]
            own.append(
                StudyImportance(
                    study=run, parameter=name, importance=value, low=value * 0.8,
                    high=min(1.0, value * 1.2), explained=value / 2, error=0.05, p_value=0.01,
                    verdict=verdict, good=("0.1 … 0.2",) if verdict == "matters" else (),
                    inside=0.1 if verdict == "matters" else None,
                    outside=0.4 if verdict == "matters" else None,
                    odd=(row, column) == odd, odd_p_value=0.01 if (row, column) == odd else 1.0,
                )
            )  # fmt: skip
        cells += own
        mean = float(np.mean([cell.importance for cell in own])) if own else 0.0
        pooled.append(
            PooledParameter(
                name=name, studies=len(own), importance=mean, low=mean * 0.9, high=mean * 1.1,
                explained=mean / 2, spread=0.1 if row == 1 else 0.0, spread_p_value=0.001,
                agreement="differs" if row == 1 else "no evidence",
                adjusted_p_value=0.002,
                matters_in=sum(cell.verdict == "matters" for cell in own),
                odd=tuple(cell.study for cell in own if cell.odd),
            )
        )  # fmt: skip
    pooled.sort(key=lambda one: -one.importance)
    known = {(cell.parameter, cell.study) for cell in cells}
    return Across(
        parameters=tuple(pooled),
        studies=tuple(
            ComparedStudy(
                run, 100, 100, 10, "drawn at random", None,
                tuple(name for name in names if (name, run) not in known),
            )
            for run in runs
        ),
        cells=tuple(cells),
        target_quantile=0.1,
        level=0.9,
        settings=Settings(),
        notes=(f"{prefix}a note",),
        branches=tuple(
            StudyBranch(
                f"{prefix}gate", f"{prefix}{label}", run, 50, hits, 100, 10, 0.5, 0.1, 0.001,
                "wins" if hits == 10 else "loses",
            )
            for label in ("left", "right")
            for column, run in enumerate(runs)
            for hits in (10 * ((column % 2 == 0) == (label == "left")),)
        ),
    )  # fmt: skip
