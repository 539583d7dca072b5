"""A checkout of ``yahpo_data``: what it must hold, and its spaces as files of domains."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from condped.errors import DataError, SettingsError, not_found

REPOSITORY = "https://github.com/slds-lmu/yahpo_data"
FILES = ("config_space.json", "encoding.json", "model.onnx")
INSTANCE = "task_id"
LEARNER_KEYS = ("learner_id", "learner")
# What the paper maximises; only these scenarios have a learner to choose.
TARGETS = {"rbv2_super": "acc", "iaml_super": "f1"}

_POINTER = b"version https://git-lfs"
_TYPES = {"uniform_float": "float", "uniform_int": "int", "categorical": "categorical"}


def check_scenario(scenario: str) -> None:
    """Raise if a scenario has no learner to choose."""
    if scenario not in TARGETS:
        raise SettingsError(
            f"scenario must be one of {', '.join(TARGETS)}, which have a learner to choose "
            f"(got {scenario!r})."
        )


def check_checkout(path: Path, scenario: str) -> None:
    """Raise if a checkout lacks a file of the scenario, saying how to get it."""
    folder = path / scenario
    if not folder.is_dir():
        raise DataError(
            f"{path} has no folder {scenario}: it is not a checkout of yahpo_data. Get one: "
            f"git clone {REPOSITORY}, and name it with --data-path."
        )
    missing = [name for name in FILES if not (folder / name).is_file()]
    if missing:
        raise DataError(
            f"{folder} lacks {', '.join(missing)}. Get the surrogate models: "
            f"git clone {REPOSITORY} (releases before 1.0 name their models differently)."
        )
    pointers = [name for name in FILES if _is_pointer(folder / name)]
    if pointers:
        raise DataError(
            f"{', '.join(pointers)} in {folder} is a pointer of Git LFS, not the file itself. "
            f"Fetch it: git -C {path} lfs install && git -C {path} lfs pull"
        )


def _is_pointer(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_POINTER)) == _POINTER


def surrogates(path: Path, scenario: str) -> dict[str, str]:
    """Return what identifies the surrogate model, for the file of domains."""
    version = path / "VERSION"
    stated = version.read_text(encoding="utf-8").strip() if version.is_file() else "unknown"
    model = (path / scenario / "model.onnx").read_bytes()
    return {
        "yahpo_data": stated.removeprefix("VERSION:").strip(),
        "model.onnx sha256": hashlib.sha256(model).hexdigest()[:16],
    }


def check_instances(path: Path, scenario: str, wanted: Sequence[str]) -> None:
    """Raise if the scenario lacks one of these instances."""
    entries = {entry["name"]: entry for entry in _space(path, scenario)["hyperparameters"]}
    if INSTANCE not in entries:
        raise DataError(f"The space of {scenario} in {path} has no {INSTANCE!r}.")
    known = entries[INSTANCE].get("choices", ())
    for instance in wanted:
        if instance not in known:
            raise not_found("instance", instance, known)


def domains(path: Path, scenario: str) -> dict[str, Any]:
    """Return the scenario's space in the layout of a file of domains, the instance left out."""
    space = _space(path, scenario)
    if space.get("forbiddens"):
        raise DataError(
            f"{scenario} has forbidden clauses, which a file of domains cannot express."
        )
    conditions = {entry["child"]: _condition(entry) for entry in space["conditions"]}
    names = [entry["name"] for entry in space["hyperparameters"]]
    keys = [key for key in LEARNER_KEYS if key in names]
    if not keys:
        raise DataError(f"The space of {scenario} in {path} has no {' or '.join(LEARNER_KEYS)}.")
    return {
        "scenario": scenario,
        "learner_key": keys[0],
        "target": TARGETS[scenario],
        "direction": "maximize",
        "surrogates": surrogates(path, scenario),
        "hyperparameters": [
            {**_entry(entry), "condition": conditions.get(entry["name"])}
            for entry in space["hyperparameters"]
            if entry["name"] != INSTANCE
        ],
    }


def _space(path: Path, scenario: str) -> dict[str, Any]:
    file = path / scenario / "config_space.json"
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        for entry in found["hyperparameters"]:
            entry["name"], entry["type"]
        found["conditions"]
    except (ValueError, TypeError, KeyError) as error:
        raise DataError(
            f"{file} is not a space of ConfigSpace ({type(error).__name__}: {error}). Get it "
            f"again: git clone {REPOSITORY}"
        ) from None
    return dict(found)


def _entry(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return a hyperparameter of ConfigSpace's JSON as an entry of a file of domains."""
    kind = _TYPES.get(entry["type"])
    if kind is None:
        raise DataError(
            f"Hyperparameter {entry['name']!r} has the type {entry['type']!r}, which a file of "
            f"domains cannot express. It knows: {', '.join(_TYPES)}.",
            column=entry["name"],
        )
    if kind == "categorical":
        return {"name": entry["name"], "type": kind, "choices": list(entry["choices"])}
    bounds = {"low": entry["lower"], "high": entry["upper"], "log": bool(entry["log"])}
    return {"name": entry["name"], "type": kind, **bounds}


def _condition(entry: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a condition of ConfigSpace's JSON as a list of comparisons that must all hold."""
    if entry["type"] == "AND":
        return [part for inner in entry["conditions"] for part in _condition(inner)]
    if entry["type"] == "EQ":
        return [{"parent": entry["parent"], "in": [entry["value"]]}]
    if entry["type"] == "IN":
        return [{"parent": entry["parent"], "in": list(entry["values"])}]
    raise DataError(
        f"The condition of {entry['child']!r} has the type {entry['type']!r}, which a file of "
        "domains cannot express. It knows: EQ, IN, AND.",
        column=entry["child"],
    )
