"""What every read of the writers' study must show, whenever it is made."""

from __future__ import annotations

from typing import Any

import numpy as np
import optuna

import condped
from fuzz.faults.writer import loss


class Oracle:
    """Checks reads of one study, each against the earlier ones."""

    def __init__(self) -> None:
        self.reads = 0
        self.wrong: list[str] = []
        self._ended: dict[int, tuple[Any, ...]] = {}

    def check(self, table: condped.TrialTable) -> None:
        """Check that a read is a state that existed, not earlier than that of the last read."""
        self.reads += 1
        trials = trials_of(table)
        ended = {row: trial for row, trial in enumerate(trials) if trial[0] != "RUNNING"}
        for row, trial in self._ended.items():
            if ended.get(row) != trial:
                self._note_wrong(f"trial {row} was {trial} and is {ended.get(row)}")
        self._ended = ended
        counts: dict[int, list[int]] = {}
        running: dict[int, list[int]] = {}
        for row, (state, value, params) in enumerate(trials):
            if "count" not in params:
                if state == "COMPLETE":
                    self._note_wrong(f"trial {row} has ended without its parameters")
                continue
            writer, count = int(params["writer"]), int(params["count"])
            (running if state == "RUNNING" else counts).setdefault(writer, []).append(count)
            expected = loss(writer, count, params.get("x", 0.0), params.get("y"))
            if state == "COMPLETE" and value != expected:
                self._note_wrong(f"trial {row} has the value {value} and should have {expected}")
            if state == "COMPLETE" and ("y" in params) != (params["x"] > 0.5):
                self._note_wrong(f"trial {row} lacks a parameter, or has one too many")
        for writer, found in counts.items():
            if sorted(found) != list(range(len(found))):
                self._note_wrong(f"writer {writer} has ended {sorted(found)[-5:]} of {len(found)}")
        for writer, begun in running.items():
            if begun != [len(counts.get(writer, []))]:
                self._note_wrong(f"writer {writer} is at {begun}, with fewer or more ended")

    @property
    def ended(self) -> int:
        """How many trials have ended."""
        return len(self._ended)

    def _note_wrong(self, what: str) -> None:
        if len(self.wrong) < 20:
            self.wrong.append(f"read {self.reads}: {what}")


def trials_of(table: condped.TrialTable) -> list[tuple[str, float | None, dict[str, float]]]:
    """Return state, value and parameters of each trial."""
    names = {0: "COMPLETE", 1: "PRUNED", 2: "FAIL", 3: "RUNNING"}
    states = [names[int(state)] for state in table.states]
    values = table.objectives[0].values
    params: list[dict[str, float]] = [{} for _ in states]
    for one in table.parameters:
        for row in np.flatnonzero(np.asarray(one.domain_ids) >= 0).tolist():
            params[row][one.name] = one.values[row].item()
    return [
        (state, None if np.isnan(value) else float(value), own)
        for state, value, own in zip(states, values, params, strict=True)
    ]


def as_optuna_has_it(study: optuna.Study) -> list[tuple[str, float | None, dict[str, float]]]:
    """Return the same for a study that Optuna has read."""
    return [
        (
            "RUNNING" if trial.state.name == "WAITING" else trial.state.name,
            trial.value,
            dict(trial.params),
        )
        for trial in study.get_trials(deepcopy=False)
    ]
