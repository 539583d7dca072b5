"""Studies of rustuna in memory, without importing it; its files are Optuna's own formats."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from condped.read.options import ReadOptions
from condped.read.optuna.drawing import drawing_of, times_of
from condped.read.optuna.objective import STUDY, MemoryAttributes, explained_table
from condped.read.optuna.records import ParameterRecords, StudyRecords, Violations, states_of
from condped.read.optuna.study import constraints_of
from condped.trials.course.drawing import MOST_RECORDED
from condped.trials.table import TrialTable


def read(study: Any, options: ReadOptions) -> TrialTable:
    """Return a study's trials."""
    options.refuse(STUDY, "study", "order")
    trials = study.get_trials()
    objectives = len(study.directions)
    records = ParameterRecords("The study")
    for number, trial in enumerate(trials):
        # Each access makes a new one.
        distributions, params = trial.distributions, trial.internal_params
        texts = [json.dumps(distributions[name].to_dict()) for name in params]
        records.add([number] * len(params), params, list(params.values()), texts)
    nothing = [np.nan] * objectives
    rows = np.arange(len(trials))
    table = StudyRecords(
        trial_ids=rows,
        states=states_of([trial.state.name for trial in trials]),
        directions=[str(direction).rpartition(".")[2] for direction in study.directions],
        metrics=None,
        values=np.array([trial.values or nothing for trial in trials]).reshape(-1, objectives),
        violations=Violations.of(rows, constraints_of(trials)),
        times=times_of(trials),
        recorded=drawing_of(study, trials) if len(trials) <= MOST_RECORDED else None,
    ).table(records.parameters(rows))
    return explained_table(table, options, MemoryAttributes(trials))
