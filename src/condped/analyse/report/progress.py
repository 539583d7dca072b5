"""The study at a glance, in a page's format."""

from __future__ import annotations

from typing import Any

from condped.analyse.effects.trials import trial_numbers, value_of
from condped.analyse.summary.outlook import too_coarse
from condped.analyse.summary.result import Summary
from condped.analyse.summary.summarise import summary_of
from condped.space.domain import choice_labels
from condped.trials.table import TrialTable

_MOST_PARAMETERS = 40  # of the best trial
_MOST_ON_FRONT = 50  # trials of the Pareto front


def summary_data(table: TrialTable) -> dict[str, Any]:
    """Return the best trials, the improvements, plateaus and durations."""
    found = summary_of(table)
    data = found.to_data()
    kept = ("states", "durations", "plateau", "outlook")
    return {
        **{name: data[name] for name in kept},
        "front": _front(table, found),
        "best": [
            {
                "objective": one.objective,
                "number": one.number,
                "value": one.value,
                "values": one.values,
                "shared": one.shared,
                "coarse": too_coarse(one.shared, found.states.complete),
                "parameters": _labels(one.parameters),
                "more": max(0, len(one.parameters) - _MOST_PARAMETERS),
            }
            for one in found.best
        ],
        "improvements": _improvements(found),
    }


def _front(table: TrialTable, found: Summary) -> list[dict[str, Any]] | None:
    """Return trials on the Pareto front, by the first objective; None with one objective."""
    if found.front is None:
        return None
    places = {number: row for row, number in enumerate(trial_numbers(table).tolist())}
    rows = [places[number] for number in found.front.numbers]
    rows.sort(key=lambda row: table.objectives[0].losses[row])
    return [
        {
            "number": int(trial_numbers(table)[row]),
            "values": [float(objective.values[row]) for objective in table.objectives],
            "parameters": _labels(
                {
                    parameter.name: value_of(parameter, row)
                    for parameter in table.parameters
                    if parameter.domain_ids[row] >= 0
                }
            ),
        }
        for row in rows[:_MOST_ON_FRONT]
    ]


def _labels(parameters: dict[str, Any]) -> list[list[str]]:
    """Return names with formatted values."""
    first = list(parameters.items())[:_MOST_PARAMETERS]
    return [
        [name, f"{value:.6g}" if isinstance(value, float) else choice_labels((value,))[0]]
        for name, value in first
    ]


def _improvements(found: Summary) -> list[list[list[float | None]]]:
    """Return for each objective the trials that improved it: number, value, seconds."""
    return [
        [
            [entry.number, entry.value, entry.elapsed]
            for entry in found.history
            if entry.improved and entry.objective == goal.name
        ]
        for goal in found.objectives
    ]
