"""Search spaces as files and as mappings; each also as it writes itself, and with trials."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from random import Random
from typing import Any

import condped
from condped import Categorical, Space
from fuzz import mutate
from fuzz.door import DiffersError, Door

_SEEDS: tuple[Any, ...] = (
    {"lr": {"type": "float", "low": 1e-5, "high": 0.1, "log": True}},
    {
        "model": {"type": "categorical", "choices": ["svm", "net", None, True, 1, 0.5]},
        "C": {"type": "float", "low": 0.1, "high": 10, "when": "model == 'svm'"},
        "layers": {"type": "int", "low": 1, "high": 9, "step": 2, "when": "model == 'net'"},
        "rate": [
            {"type": "float", "low": 0, "high": 1, "step": 0.25, "when": "layers < 5"},
            {"type": "float", "low": 0, "high": 2, "when": "layers >= 5"},
        ],
        "a b": {"type": "int", "low": 1, "high": 1024, "log": True,
        "when": "`C` > 1 or not (rate < 0.5)"},
    },
    {
        "x": {"type": "float", "low": -1, "high": 1},
        "y": {"type": "float", "low": -1, "high": 1, "when": "x < 0.5 and x >= -0.5"},
        "z": {"type": "categorical", "choices": [[64, 64], [32]], "when": "x < w"},
        "w": {"type": "int", "low": 0, "high": 3},
    },
    {  # as ConfigSpace writes it
        "name": "s", "format_version": 0.4,
        "hyperparameters": [
            {"type": "categorical", "name": "k", "choices": ["a", "b"], "weights": None,
            "default_value": "a"},
            {"type": "uniform_float", "name": "x", "lower": 0.0, "upper": 1.0, "log": False,
            "default_value": 0.5},
            {"type": "uniform_int", "name": "n", "lower": 1, "upper": 9, "log": True,
            "default_value": 3},
        ],
        "conditions": [{"type": "EQ", "child": "x", "parent": "k", "value": "a"}],
        "forbiddens": [],
    },
)  # fmt: skip
_ROWS = 12


class Spaces(Door):
    """``space``: JSON files, plain mappings, and a table whose values come from the domains."""

    name = "spaces"
    title = "Search spaces"
    weight = 5
    oracle = "the space read again from what it writes"

    def make(self, rng: Random) -> tuple[str, bytes]:
        what = rng.choice(("space.json", "mapping"))
        if rng.random() < 0.02:
            return "space.json", mutate.nested(rng).encode()
        seed = rng.choice(_SEEDS)
        if rng.random() < 0.5:
            text = mutate.written(_with_other_numbers(rng, seed))
        else:
            text = mutate.written(mutate.changed_data(rng, seed, _SEEDS))
        if what == "space.json" and rng.random() < 0.3:
            return what, mutate.changed_bytes(rng, text.encode())
        return what, text.encode()

    def ask(self, what: str, data: bytes) -> Any:
        if what == "space.json":
            Path(what).write_bytes(data)
            source: Any = Path(what)
        else:
            try:
                source = json.loads(data)
            except (ValueError, RecursionError):
                return None
            Space(source)
        columns: dict[str, Any] = {"loss": [float(row % 7) for row in range(_ROWS)]}
        try:
            plain = json.loads(data)
        except (ValueError, RecursionError):
            plain = {}
        columns |= _columns(plain)
        table = condped.read(columns, objective="loss", space=source, outside="drop")
        result = condped.importance(table)
        str(result)
        return table.space

    def compare(self, what: str, data: bytes, answer: Any) -> None:
        if answer is None:
            return
        plain = answer.to_dict()
        if any(len(a.domain.choices) == 1 for entries in answer.values() for a in entries
               if isinstance(a.domain, Categorical)):  # fmt: skip
            return
        again = Space(plain)
        if dict(again) != dict(answer):
            raise DiffersError(f"{dict(answer)} reads itself again as {dict(again)}")
        through_json = Space(json.loads(json.dumps(plain)))
        if dict(through_json) != dict(answer):
            raise DiffersError(f"{dict(answer)} comes from JSON as {dict(through_json)}")


def _with_other_numbers(rng: Random, seed: Any) -> Any:
    """Return a space with other bounds, steps and flags, most of them close to the original."""
    made = copy.deepcopy(seed)
    places = [
        (holder, key) for holder, key in mutate.places(made)
        if isinstance(holder[key], (int, float)) and not isinstance(key, int)
    ]  # fmt: skip
    for holder, key in rng.sample(places, min(len(places), rng.randrange(4))):
        value = holder[key]
        if isinstance(value, bool):
            holder[key] = not value
        elif rng.random() < 0.5:
            holder[key] = rng.choice(mutate.NUMBERS)
        else:
            holder[key] = value * rng.choice((0.5, 2, 1e3, 1e300, 1 + 1e-12)) + rng.choice((0, 1))
    return made


def _columns(plain: Any) -> dict[str, list[Any]]:
    """Return values for the parameters that are always there, and none for the others."""
    listed = plain.get("hyperparameters") if isinstance(plain, dict) else None
    if isinstance(listed, list):
        found = plain.get("conditions")
        conditions = found if isinstance(found, list) else []
        children = [one.get("child") for one in conditions if isinstance(one, dict)]
        return {
            one["name"]: _values(one, one["name"] in children)
            for one in listed if isinstance(one, dict) and isinstance(one.get("name"), str)
        }  # fmt: skip
    if not isinstance(plain, dict):
        return {}
    return {
        name: _values(one, isinstance(one, list) or (isinstance(one, dict) and "when" in one))
        for name, one in plain.items()
    }


def _values(entry: Any, conditional: bool) -> list[Any]:
    """Return values that a domain of a file may have, in turn."""
    found: list[Any] = [None]
    if isinstance(entry, dict) and not conditional:
        choices = entry.get("choices")
        bounds = [entry.get("low", entry.get("lower")), entry.get("high", entry.get("upper"))]
        found = choices if isinstance(choices, list) and choices else bounds
    return [found[row % len(found)] for row in range(_ROWS)]
