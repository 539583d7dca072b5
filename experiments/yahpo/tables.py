"""Tables 1 to 4, each number beside the paper's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from experiments.figures.style import save_table
from experiments.registry import Row
from experiments.store import write_whole
from experiments.yahpo import published, summary
from experiments.yahpo.learners import METHODS

TITLES = {
    "paper": "condPED-ANOVA",
    "calibrated": "calibrated",
    "ped-anova": "PED-ANOVA",
    "f-anova": "f-ANOVA",
    "mdi": "MDI",
    "shap": "SHAP",
}
NOT_THERE = "—"


def title(method: str) -> str:
    """Return the name of a method in tables and figures."""
    name, _, absent = method.partition("/")
    return f"{TITLES[name]} with {absent}" if absent else TITLES[name]


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table; the first column is text, the others are numbers."""
    ruler = ["---", *["---:"] * (len(head) - 1)]
    return [f"| {' | '.join(cells)} |" for cells in (head, ruler, *rows)]


def objective_lines(instance: str, learners: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return lowest, mean and highest objective of one instance, here and in the paper."""
    printed = {row.name: row for row in published.OBJECTIVES.get(instance, ())}
    head = ["learner"]
    for name in ("lowest", "mean", "highest"):
        head += [name, "paper"]
    rows = []
    for learner, numbers in learners.items():
        cells = [f"`{learner}`"]
        for number in ("low", "mean", "high"):
            own = numbers[number]
            told = getattr(printed[learner], number) if learner in printed else None
            cells += [
                _with_error(own["value"], own["error"]),
                NOT_THERE if told is None else _with_error(told.value, told.error),
            ]
        rows.append(cells)
    return markdown(head, rows)


def correlation_lines(
    family: str, instances: Mapping[str, Mapping[str, Mapping[str, Any]]], way: str
) -> list[str]:
    """Return correlations of one family, the paper's in brackets; ``way``: mean or of_means."""
    printed = published.CORRELATIONS.get(family, {})
    rows = []
    for method in METHODS:
        cells = [title(method)]
        for instance, methods in instances.items():
            own = methods.get(method, {}).get(way)
            told = printed.get(instance, {}).get(method)
            shown = NOT_THERE if own is None else f"{own:.2f}"
            cells.append(shown if told is None else f"{shown} ({told:.2f})")
        cells.append(_over_instances([m.get(method, {}).get(way) for m in instances.values()]))
        rows.append(cells)
    return markdown(["method", *instances, "mean ± error"], rows)


def _over_instances(values: Sequence[float | None]) -> str:
    if any(value is None for value in values):
        return NOT_THERE
    found = summary.mean_of([value for value in values if value is not None])
    return f"{found.value:.2f} ± {found.error:.2f}"


def _with_error(value: float, error: float) -> str:
    return f"{value:.3f} ± {error:.3f}"


def objective_rows(found: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> list[Row]:
    """Return Tables 1 and 3 as flat rows."""
    rows = []
    for instance, learners in found.items():
        printed = {row.name: row for row in published.OBJECTIVES.get(instance, ())}
        for learner, numbers in learners.items():
            for number in ("low", "mean", "high"):
                told = getattr(printed[learner], number) if learner in printed else None
                rows.append(
                    {
                        "instance": instance,
                        "learner": learner,
                        "number": number,
                        "value": numbers[number]["value"],
                        "error": numbers[number]["error"],
                        "published": None if told is None else told.value,
                        "published_error": None if told is None else told.error,
                    }
                )
    return rows


def correlation_rows(family: str, found: Mapping[str, Mapping[str, Any]]) -> list[Row]:
    """Return Tables 2 and 4 as flat rows."""
    printed = published.CORRELATIONS.get(family, {})
    return [
        {
            "instance": instance,
            "method": method,
            **numbers,
            "published": printed.get(instance, {}).get(method),
        }
        for instance, methods in found.items()
        for method, numbers in methods.items()
    ]


def draw_objectives(rows: Sequence[Row], folder: Path, *, name: str, label: str) -> list[Path]:
    """Write a table of objectives as Markdown and CSV."""
    found = summary.plain(summary.objectives(rows))
    lines = []
    for instance, learners in found.items():
        lines += [f"Instance {instance}", "", *objective_lines(instance, learners), ""]
    return [
        _write(folder / f"{name}.md", [*lines, _footer(rows, label)]),
        save_table(objective_rows(found), folder, name),
    ]


def draw_correlations(
    rows: Sequence[Row], folder: Path, *, name: str, family: str, label: str
) -> list[Path]:
    """Write a table of correlations as Markdown and CSV, both ways to treat seeds."""
    found = summary.plain(summary.correlations(rows))
    absent = [method for method in METHODS if all(method not in m for m in found.values())]
    lines = [
        "Mean over seeds of each seed's correlation (the paper's in brackets):",
        "",
        *correlation_lines(family, found, "mean"),
        "",
        "Correlation of the means over seeds:",
        "",
        *correlation_lines(family, found, "of_means"),
        "",
    ]
    if absent:
        lines += [f"Not in a quick run: {', '.join(map(title, absent))}.", ""]
    return [
        _write(folder / f"{name}.md", [*lines, _footer(rows, label)]),
        save_table(correlation_rows(family, found), folder, name),
    ]


def _footer(rows: Sequence[Row], label: str) -> str:
    return f"{rows[0]['scenario']}, {summary.seeds(rows)} seeds; {label}."


def _write(path: Path, lines: Sequence[str]) -> Path:
    text = "\n".join(lines) + "\n"
    write_whole(path, partial(_write_text, text=text))
    return path


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def difference(found: Mapping[str, Mapping[str, Any]], family: str, way: str) -> float:
    """Return the mean distance of the correlations from the paper's, over all methods it has."""
    printed = published.CORRELATIONS.get(family, {})
    apart = [
        abs(methods[method][way] - printed[instance][method])
        for instance, methods in found.items()
        for method in published.METHODS
        if instance in printed and methods.get(method, {}).get(way) is not None
    ]
    return float(np.mean(apart)) if apart else float("nan")
