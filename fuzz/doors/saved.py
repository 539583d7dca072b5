"""Saved results, changed and loaded again; and shown in every form."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import condped
from condped.errors import CondpedError
from fuzz import mutate
from fuzz.door import DiffersError, Door

_FILE = "result.json"


class Saved(Door):
    """``condped.load``, of every kind of result."""

    name = "saved"
    title = "Saved results"
    weight = 2
    oracle = "the result saved and loaded once more"
    batch = 1_000

    def prepare(self) -> None:
        table = condped.problems.get("nested").sample(120, seed=0)
        other = condped.problems.get("nested").sample(120, seed=1)
        across = condped.across([table, other])
        rows = range(120)
        columns = {
            "epochs": [1 + row % 3 for row in rows],
            "x": [row // 3 / 40 for row in rows],
            "loss": [(row // 3 * 7 % 40) / (1 + row % 3) for row in rows],
        }
        Path("trials.csv").write_text("loss,x\n1,0.5\n2,0.25\n", encoding="utf-8")
        results: dict[str, Any] = {
            "importance": condped.importance(table),
            "sweep": condped.sweep(table),
            "branches": condped.branches(table),
            "effects": condped.effects(table),
            "summary": condped.summary(table),
            "forecast": condped.forecast(table),
            "advice": condped.advise(table),
            "report": condped.report(table, verdicts=False),
            "joint": condped.joint_effects(table),
            "budgets": condped.budgets(columns, objective="loss", budget_column="epochs"),
            "studies": condped.studies("trials.csv", objective="loss"),
            "across": across,
            "start_space": across.space(),
            "starts": across.starts(3),
            "prior": across.prior(),
            "difference": condped.difference(table, other),
            "compare": condped.compare(table, methods=["paper", "ped-anova"]),
            "sources": condped.sources(),
        }
        self.seeds = {}
        for name, result in results.items():
            result.save(_FILE)
            self.seeds[name] = json.loads(Path(_FILE).read_text(encoding="utf-8"))

    def make(self, rng: Random) -> tuple[str, bytes]:
        name = rng.choice(sorted(self.seeds))
        if rng.random() < 0.01:
            return name, mutate.nested(rng).encode()
        others = (self.seeds[rng.choice(sorted(self.seeds))],)
        data = mutate.written(mutate.changed_data(rng, self.seeds[name], others)).encode()
        return name, mutate.changed_bytes(rng, data) if rng.random() < 0.1 else data

    def ask(self, what: str, data: bytes) -> Any:
        Path(_FILE).write_bytes(data)
        result = condped.load(_FILE)
        str(result)
        json.dumps(result.to_data(), default=str)
        result.to_csv()
        result.to_markdown()
        result.to_latex()
        return result

    def compare(self, what: str, data: bytes, answer: Any) -> None:
        answer.save(_FILE)
        try:
            again = condped.load(_FILE)
        except CondpedError as error:
            raise DiffersError(f"what was loaded is saved, and not loaded: {error}") from error
        if str(again) != str(answer):
            raise DiffersError(f"{answer} is saved and loaded as {again}")
