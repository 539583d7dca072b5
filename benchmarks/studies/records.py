"""Studies as plain data and back: all that an Optuna storage holds, one object per study.

Columns rather than trials; long strings in system attributes are shortened, the jointly drawn
values of TPE are kept as names, since the values are the trial's own. Datetimes are seconds of a
clock that starts with the study.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, TypeAlias

import optuna
from optuna.distributions import distribution_to_json, json_to_distribution
from optuna.storages import JournalStorage
from optuna.storages.journal import BaseJournalBackend
from optuna.trial import FrozenTrial, TrialState

Plain: TypeAlias = dict[str, Any]
START = datetime(2026, 1, 1)
LONGEST = 200  # characters of a system attribute that are kept
_JOINT = "tpe:relative_params:"
_CHUNK = 2045  # characters of a system attribute that TPE writes
_STATES = {state.name[0]: state for state in TrialState}
Times: TypeAlias = Sequence[tuple[float, float]]  # seconds at which trials started and ended


def plain_study(study: optuna.Study, times: Times) -> Plain:
    """Return what the storage holds about a study."""
    trials = study.get_trials(deepcopy=False)
    distributions = {
        name: distribution_to_json(own) for t in trials for name, own in t.distributions.items()
    }
    return {
        "directions": [direction.name.lower() for direction in study.directions],
        "attributes": _shortened(study._storage.get_study_system_attrs(study._study_id)),
        "distributions": distributions,
        "states": "".join(trial.state.name[0] for trial in trials),
        "values": [trial.values for trial in trials],
        "start": [round(start, 3) for start, _ in times],
        "end": [round(end, 3) for _, end in times],
        "last": [_last(trial) for trial in trials],
        "joint": [_joint(trial) for trial in trials],
        "marks": [_marks(trial) for trial in trials],
        "params": {name: [trial.params.get(name) for trial in trials] for name in distributions},
    }


def _last(trial: FrozenTrial) -> list[float] | None:
    step = trial.last_step
    return None if step is None else [step, trial.intermediate_values[step]]


def _joint(trial: FrozenTrial) -> list[str] | None:
    """Return the parameters that TPE drew together."""
    texts = [text for key, text in trial.system_attrs.items() if key.startswith(_JOINT)]
    if not texts:
        return None
    drawn = json.loads("".join(texts))
    if any(trial.params[name] != value for name, value in drawn.items()):
        return None  # the values of an enqueued trial are not those that TPE drew
    return list(drawn)


def _marks(trial: FrozenTrial) -> Plain:
    """Return all other system attributes."""
    known = _joint(trial) is not None
    return _shortened(
        {
            key: value
            for key, value in trial.system_attrs.items()
            if not (known and key.startswith(_JOINT))
        }
    )


def _shortened(attributes: Mapping[str, Any]) -> Plain:
    return {
        key: value[:LONGEST] + "…" if _is_long(key, value) else value
        for key, value in attributes.items()
    }


def _is_long(key: str, value: object) -> bool:
    return isinstance(value, str) and len(value) > LONGEST and not key.startswith(_JOINT)


def rebuilt_study(
    plain: Plain, trials: int | None = None, order: Sequence[str] = ()
) -> optuna.Study:
    """Return the study with its first trials, as one that was loaded from a storage.

    ``order`` names the parameters as they were suggested. The storage is not Optuna's in-memory
    one, so that the fresh sampler of the loaded study is not mistaken for the one that drew the
    trials.
    """
    storage = JournalStorage(_Log())
    study = optuna.create_study(
        storage=storage, directions=plain["directions"], study_name="stored"
    )
    for key, value in plain["attributes"].items():
        storage.set_study_system_attr(study._study_id, key, value)
    study.add_trials(rebuilt_trials(plain, trials, order))
    return study


def rebuilt_trials(
    plain: Plain, trials: int | None, order: Sequence[str] = ()
) -> list[FrozenTrial]:
    """Return the first trials of a study."""
    distributions = {
        name: json_to_distribution(text) for name, text in plain["distributions"].items()
    }
    stored = plain["params"]
    columns = {name: stored[name] for name in (*order, *stored) if name in stored}
    found = []
    for number, letter in enumerate(plain["states"][:trials]):
        params = {
            name: column[number] for name, column in columns.items() if column[number] is not None
        }
        last = plain["last"][number]
        trial = optuna.trial.create_trial(
            state=_STATES[letter],
            values=plain["values"][number],
            params=params,
            distributions={name: distributions[name] for name in params},
            system_attrs=plain["marks"][number] | _drawn(plain["joint"][number], params),
            intermediate_values={} if last is None else {int(last[0]): last[1]},
        )
        trial.datetime_start = START + timedelta(seconds=plain["start"][number])
        trial.datetime_complete = START + timedelta(seconds=plain["end"][number])
        found.append(trial)
    return found


def _drawn(names: Sequence[str] | None, params: Mapping[str, Any]) -> dict[str, str]:
    if names is None:
        return {}
    text = json.dumps({name: params[name] for name in names})
    chunks = range(0, len(text), _CHUNK)
    return {f"{_JOINT}{at // _CHUNK}": text[at : at + _CHUNK] for at in chunks}


class _Log(BaseJournalBackend):
    """A journal in memory."""

    def __init__(self) -> None:
        self.logs: list[Plain] = []

    def read_logs(self, log_number_from: int) -> Iterable[Plain]:
        """Return the logs from a number on."""
        return self.logs[log_number_from:]

    def append_logs(self, logs: list[Plain]) -> None:
        """Add logs, as a file would keep them."""
        self.logs.extend(json.loads(json.dumps(logs)))
