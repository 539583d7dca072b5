"""Optuna studies in memory with trials that Optuna's own checks would reject."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from fuzz import mutate
from fuzz.door import Door
from fuzz.doors import optuna_studies, tables

_DISTRIBUTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "x": ("FloatDistribution", {"low": 0.0, "high": 1.0}),
    "lr": ("FloatDistribution", {"low": 1e-5, "high": 1.0, "log": True}),
    "s": ("FloatDistribution", {"low": 0.0, "high": 1.0, "step": 0.25}),
    "n": ("IntDistribution", {"low": 1, "high": 9, "step": 2}),
    "k": ("CategoricalDistribution", {"choices": ["a", None, True, 1, 0.5]}),
}
_VALUES: dict[str, list[Any]] = {
    "x": [0.0, 0.3, 1.0], "lr": [1e-5, 0.1, 1.0], "s": [0.0, 0.5, 1.0], "n": [1, 5, 9],
    "k": ["a", None, True, 1, 0.5],
}  # fmt: skip
_BOUNDS = (0, 1, -1, 1e-5, 5e-324, 1e308, -1e308, 2**53, 2**62, 2**63, 10**30, 0.1, 3, 7)


class Studies(Door):
    """``optuna-study``: hostile values, parameters, distributions, states and attributes."""

    name = "studies"
    title = "Optuna studies in memory"
    weight = 2
    oracle = "Optuna 5.0.0 with the same study"
    imports = ("optuna", "optuna.storages")

    def prepare(self) -> None:
        import optuna  # noqa: PLC0415  (imported by workers only)

        self.optuna = optuna
        optuna.logging.set_verbosity(optuna.logging.ERROR)

    def make(self, rng: Random) -> tuple[str, bytes]:
        objectives = rng.choice((1, 1, 1, 2, 5))
        own: dict[str, Any] = {
            name: [kind, dict(given)] for name, (kind, given) in _DISTRIBUTIONS.items()
        }
        if rng.random() < 0.4:
            _, given = own[rng.choice(sorted(own))]
            given[rng.choice(sorted(given))] = rng.choice(_BOUNDS)
        trials = [self._trial(rng, objectives) for _ in range(rng.randrange(1, 12))]
        study = {"objectives": objectives, "distributions": own, "trials": trials}
        if rng.random() < 0.3:
            study["trials"] = mutate.changed_data(rng, trials)
        return "study", mutate.written(study).encode()

    @staticmethod
    def _trial(rng: Random, objectives: int) -> dict[str, Any]:
        params = {
            name: rng.choice(values) if rng.random() < 0.95 else mutate.value(rng)
            for name, values in _VALUES.items() if rng.random() < 0.7
        }  # fmt: skip
        state = rng.choice(("COMPLETE",) * 6 + ("PRUNED", "FAIL", "RUNNING", "WAITING"))
        number = (lambda: rng.choice(mutate.NUMBERS)) if rng.random() < 0.1 else rng.random
        return {
            "params": params,
            "state": state,
            "values": [number() for _ in range(objectives)] if state == "COMPLETE" else None,
            "intermediate": {"1": rng.choice((0.5, float("nan"), float("inf")))},
            "user_attrs": {rng.choice(mutate.TEXTS): mutate.value(rng)}
            if rng.random() < 0.2
            else {},
            "constraints": [rng.choice((-1.0, 0.0, 1.0, float("nan")))]
            if rng.random() < 0.2
            else None,
        }

    def ask(self, what: str, data: bytes) -> Any:
        study = self._study(data)
        return study and (study, tables.read(study, objective=0))

    def compare(self, what: str, data: bytes, answer: Any) -> None:
        if answer is None:
            return
        optuna_studies.compare_with(*answer)

    def _study(self, data: bytes) -> Any:
        """Return the study, or None if Optuna itself rejects it."""
        optuna = self.optuna
        try:
            plain = json.loads(data)
            kinds = {
                name: getattr(optuna.distributions, kind)(**given)
                for name, (kind, given) in plain["distributions"].items()
            }
            study = optuna.create_study(directions=["minimize"] * plain["objectives"])
            trials = [
                self._frozen_trial(place, one, kinds) for place, one in enumerate(plain["trials"])
            ]
            for trial in trials:
                study._storage.create_new_trial(study._study_id, template_trial=trial)
            study.get_trials()
            study.trials_dataframe()
        except Exception:
            return None
        return study

    def _frozen_trial(self, place: int, one: dict[str, Any], kinds: dict[str, Any]) -> Any:
        system = {} if one["constraints"] is None else {"constraints": one["constraints"]}
        return self.optuna.trial.FrozenTrial(
            number=place, trial_id=place, state=self.optuna.trial.TrialState[one["state"]],
            value=None, values=one["values"], datetime_start=None, datetime_complete=None,
            params={n: tuple(v) if isinstance(v, list) else v for n, v in one["params"].items()},
            distributions={n: kinds[n] for n in one["params"]},
            user_attrs=one["user_attrs"], system_attrs=system,
            intermediate_values={int(s): v for s, v in one["intermediate"].items()},
        )  # fmt: skip
