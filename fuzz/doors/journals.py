"""Journals of Optuna: cut at any byte, with changed operations, against Optuna reading them."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import condped
from fuzz import mutate
from fuzz.door import Door
from fuzz.doors import optuna_studies, tables
from fuzz.seeds import seed

_FILE = "journal.log"


class Journals(Door):
    """``optuna-journal``, one study of it by name, and all of them."""

    name = "journals"
    title = "Optuna journals"
    weight = 4
    oracle = "Optuna 5.0.0 with the same file"
    batch = 1_000
    imports = ("optuna", "optuna.storages.journal")

    def prepare(self) -> None:
        self.seed = seed("optuna")["journal.log"]
        self.operations = [json.loads(line) for line in self.seed.splitlines()]

    def make(self, rng: Random) -> tuple[str, bytes]:
        what = rng.choice(("tuning", "tuning", "other", "")) or "all"
        kind = rng.random()
        if kind < 0.3:
            return what, self.seed[: rng.randrange(len(self.seed) + 1)]
        if kind < 0.45:
            return what, mutate.changed_bytes(rng, self.seed)
        lines = list(self.operations)
        for _ in range(1 + int(rng.expovariate(0.8))):
            at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
            change = rng.randrange(6)
            if change == 0:
                del lines[at]
            elif change == 1:
                lines.insert(at, lines[other])
            elif change == 2:
                lines[at], lines[other] = lines[other], lines[at]
            elif isinstance(lines[at], dict) and change < 5:
                key = rng.choice([*lines[at], "op_code", "trial_id"])
                lines[at] = {**lines[at], key: self._value(rng, lines[at].get(key))}
            else:
                lines[at] = mutate.changed_data(rng, lines[at])
            if not lines:
                break
        text = "\n".join(map(mutate.written, lines)) + rng.choice(("\n", "\n", ""))
        return what, text.encode()

    @staticmethod
    def _value(rng: Random, value: Any) -> Any:
        if isinstance(value, int) and rng.random() < 0.7:
            return value + rng.choice((-1, 1, 2))
        if isinstance(value, str) and value[:1] == "{" and rng.random() < 0.7:
            return mutate.written(mutate.changed_data(rng, json.loads(value)))
        return mutate.value(rng)

    def ask(self, what: str, data: bytes) -> Any:
        Path(_FILE).write_bytes(data)
        if what == "all":
            str(condped.studies(_FILE))
            return None
        return tables.read(_FILE, reader="optuna-journal", study=what, objective=0)

    def compare(self, what: str, data: bytes, answer: Any) -> None:
        if answer is None:
            return
        import optuna  # noqa: PLC0415  (imported by workers only)
        from optuna.storages.journal import JournalFileBackend  # noqa: PLC0415

        try:
            backend = JournalFileBackend(_FILE)
            study = optuna.load_study(
                storage=optuna.storages.JournalStorage(backend), study_name=what
            )
            study.get_trials(deepcopy=False)
        except Exception:
            return  # Optuna has no answer
        optuna_studies.compare_with(study, answer)
