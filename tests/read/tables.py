"""A table of trials as plain data, and the trials that the readers' tests share."""

from __future__ import annotations

from typing import Any

import numpy as np

from condped import Categorical, Float, Int, Space, TrialTable, when

# Six trials of a small space with everything in it; None is a missing value.
TRIALS: dict[str, list[Any]] = {
    "loss": [3, 1, 2, 5, None, 4],
    "model": ["svm", "net", "svm", "net", "net", "svm"],
    "C": [0.001, None, 10.0, None, None, 1000.0],
    "width": [None, 8, None, 64, 2**60 + 1, None],
    "lr": [None, 0.5, None, 0.05, 0.025, None],
    "warm": [True, False, None, True, True, False],
    "batch": [16, 32, 16, 64, 32, None],
    "comment": ["x", "y", None, "z", "x", "y"],
}
SPACE = Space(
    {
        "model": Categorical(["net", "svm"]),
        "C": when("model == 'svm'", Float(1e-3, 1e3, log=True)),
        "width": when("model == 'net'", Int(1, 2**61)),
        "lr": [
            when("model == 'net' and width < 32", Float(0.1, 1)),
            when("model == 'net' and width >= 32", Float(0.01, 0.1)),
        ],
        "warm": Categorical([False, True]),
        "batch": Categorical([16, 32, 64]),
    }
)
# What any reader must make of them, by hand: present values, domain ids.
EXPECTED: dict[str, tuple[list[Any], list[int]]] = {
    "model": ([1, 0, 1, 0, 0, 1], [0] * 6),
    "C": ([0.001, None, 10.0, None, None, 1000.0], [0, -1, 0, -1, -1, 0]),
    "width": ([None, 8, None, 64, 2**60 + 1, None], [-1, 0, -1, 0, 0, -1]),
    "lr": ([None, 0.5, None, 0.05, 0.025, None], [-1, 0, -1, 1, 1, -1]),
    "warm": ([1, 0, None, 1, 1, 0], [0, 0, -1, 0, 0, 0]),
    "batch": ([0, 1, 0, 2, 1, None], [0, 0, 0, 0, 0, -1]),
}


def parameters_of(table: TrialTable) -> dict[str, tuple[list[Any], list[int]]]:
    """Return each parameter's values (None: absent) and domain ids."""
    return {
        parameter.name: (
            [
                None if place < 0 else value
                for value, place in zip(
                    parameter.values.tolist(), parameter.domain_ids.tolist(), strict=True
                )
            ],
            parameter.domain_ids.tolist(),
        )
        for parameter in table.parameters
    }


def plain(table: TrialTable) -> dict[str, Any]:
    """Return everything that a table says, such that equal tables are equal."""
    return {
        "parameters": parameters_of(table),
        "domains": {parameter.name: parameter.domains for parameter in table.parameters},
        "objectives": [
            (objective.name, objective.direction, _without_nan(objective.values))
            for objective in table.objectives
        ],
        "states": table.states.tolist(),
        "violations": None if table.violations is None else _without_nan(table.violations.ravel()),
        "inferred": table.space_inferred,
        "ignored": table.ignored_columns,
        "notes": table.notes,
    }


def _without_nan(values: np.ndarray[Any, np.dtype[np.float64]]) -> list[float | None]:
    assert values.dtype == np.float64
    return [None if np.isnan(value) else float(value) for value in values]
