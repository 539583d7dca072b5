"""Several studies as one page."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

import condped
from condped.analyse.across.result import Across, PooledParameter, StudyImportance
from condped.analyse.saving.plain import plain
from condped.show.across_answer import answer_of
from condped.show.across_branches import BRANCH_MEANING
from condped.show.report.page import assembled
from condped.show.text.several.across import MEANING, across_headline
from condped.show.views.across import alike_first

# In the order in which they are concatenated.
_SCRIPTS = (
    "across/studies", "elements", "folds", "files", "theme", "across/answer", "across/map",
    "across/forest", "across/tables", "across/main",
)  # fmt: skip
_LETTERS = {"matters": "m", "unclear": "u", "no evidence": "n", "not testable": "-"}
_MOST_STUDIES = 1_000
_LEFT_OUT = (
    "{some:,} of the {all:,} studies are on this page: the odd ones, and an even selection of the "
    "others. The means and the sentences are those of all."
)
_DIGITS = 4  # more than anybody reads


def across_page(across: Across, title: str | None, reports: Mapping[str, str]) -> str:
    """Return the page; ``reports`` are links to the reports of single studies, by name."""
    shown = "Several studies" if title is None else title
    data = plain(across_data(across, shown, reports))
    return assembled(
        "across.html",
        ("report.css", "across.css"),
        _SCRIPTS,
        title=shown,
        text=str(across),
        data=data,
    )


def across_data(across: Across, title: str, reports: Mapping[str, str]) -> dict[str, Any]:
    """Return all numbers and sentences of the page."""
    shown = _at_most_a_thousand(across)
    studies, here = shown.studies, {study.name for study in shown.studies}
    notes = across.notes
    if len(studies) < len(across.studies):
        notes = (_LEFT_OUT.format(all=len(across.studies), some=len(studies)), *notes)
    return {
        "schema": "condped.across-page/1",
        "title": title,
        "headline": across_headline(across),
        "answer": asdict(answer_of(across)),
        "meaning": MEANING,
        "branch_meaning": BRANCH_MEANING,
        "target_quantile": across.target_quantile,
        "level": across.level,
        "total": len(across.studies),
        "studies": [
            {
                "name": study.name,
                "trials": study.trials,
                "used": study.used,
                "target": study.target_size,
                "reason": study.reason,
                "missing": study.missing,
                "report": reports.get(study.name),
            }
            for study in studies
        ],
        "parameters": [_parameter(one) for one in across.parameters],
        "cells": [
            [_cell(across.cell(one.name, study.name)) for study in studies]
            for one in across.parameters
        ],
        "alike": alike_first(shown),
        "branches": [
            asdict(one) | {"p_value": _rounded(one.p_value), "median": _rounded(one.median),
                           "best": _rounded(one.best)}
            for one in across.branches
            if one.study in here
        ],
        "notes": notes,
        "settings": {"target_quantile": across.target_quantile, **asdict(across.settings)},
        "versions": {"condped": condped.__version__},
    }  # fmt: skip


def _at_most_a_thousand(across: Across) -> Across:
    """Return at most a thousand studies: the odd ones, and an even selection of the others."""
    if len(across.studies) <= _MOST_STUDIES:
        return across
    odd = {cell.study for cell in across.cells if cell.odd}
    others = [study.name for study in across.studies if study.name not in odd]
    room = max(_MOST_STUDIES - len(odd), 0)
    kept = odd | {others[place * len(others) // room] for place in range(room)}
    return replace(across, studies=tuple(one for one in across.studies if one.name in kept))


def _parameter(one: PooledParameter) -> dict[str, Any]:
    numbers = ("importance", "low", "high", "explained", "spread")
    return {
        "name": one.name,
        "studies": one.studies,
        **{name: _rounded(getattr(one, name)) for name in numbers},
        "spread_p": _rounded(one.spread_p_value),
        "adjusted_p": _rounded(one.adjusted_p_value),
        "agreement": one.agreement,
        "matters_in": one.matters_in,
        "domains": one.domains,
    }


def _cell(cell: StudyImportance | None) -> list[Any] | None:
    """Return a cell as the script reads it: its fields, without names."""
    if cell is None:
        return None
    numbers = (cell.importance, cell.low, cell.high, cell.explained, cell.error, cell.p_value)
    return [
        *map(_rounded, numbers),
        _LETTERS[cell.verdict],
        int(cell.odd),
        _rounded(cell.odd_p_value),
        cell.good,
        _rounded(cell.inside),
        _rounded(cell.outside),
    ]


def _rounded(value: float | None) -> float | None:
    known = value is not None and math.isfinite(value)
    return float(f"{value:.{_DIGITS}g}") if known else None
