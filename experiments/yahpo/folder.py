"""Folders of evaluation sets: ``<scenario>_<instance>.parquet`` beside ``<scenario>.domains.json``.

A Parquet file has one row per trial: a column ``seed``, a column per hyperparameter (null where it
was inactive) and the objectives. The JSON file has the domains and conditions.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

import condped
from condped.errors import DataError

VARIABLE = "CONDPED_YAHPO"
DEFAULT = Path(__file__).parents[3] / "shared" / "data" / "yahpo"
SURROGATES = b"surrogates"  # key of a Parquet file's metadata
HOW_TO_GET = (
    "Name a folder of evaluation sets with the environment variable CONDPED_YAHPO or --data, or "
    "make one: python -m experiments.yahpo.sample --data-path yahpo_data --scenario rbv2_super "
    "--instances 1053,1457,1063,1479,15,1468 --output DIR"
)
ANOTHER_GENERATION = (
    "another surrogate generation than the paper's, so no number here reproduces one of the paper's"
)


@dataclass(frozen=True, slots=True)
class Scenario:
    """The space of a scenario, and what is maximised in it.

    Attributes
    ----------
    name
        Such as ``rbv2_super``; what comes before ``_`` is its family.
    learner_key
        The hyperparameter that selects the learner.
    objective
        The column that the paper maximises.
    learners
        Learner → the hyperparameters that only it has, in the order of the space.
    space
        The domains as plain data for :func:`condped.read`.
    surrogates
        Where the evaluations come from, as recorded by ``experiments.yahpo.sample``; empty if
        nothing was recorded.
    """

    name: str
    learner_key: str
    objective: str
    learners: Mapping[str, tuple[str, ...]]
    space: Mapping[str, Mapping[str, Any]]
    surrogates: Mapping[str, str]

    @property
    def family(self) -> str:
        """``rbv2`` or ``iaml``: which of the paper's tables these instances belong to."""
        return self.name.partition("_")[0]

    @property
    def label(self) -> str:
        """What a reader must know about where the evaluations come from."""
        if not self.surrogates:
            return ANOTHER_GENERATION
        parts = ", ".join(f"{key} {value}" for key, value in self.surrogates.items())
        return f"surrogates: {parts}; the paper does not name its versions"

    def learner_of(self, parameter: str) -> str | None:
        """Return the learner that alone has this hyperparameter; None if all have it."""
        for learner, names in self.learners.items():
            if parameter in names:
                return learner
        return None


@dataclass(frozen=True)
class Evaluations:
    """The evaluations of one instance: several seeds with the same number of trials each."""

    scenario: Scenario
    instance: str
    path: Path

    @cached_property
    def _columns(self) -> Any:
        return pq.read_table(self.path)

    @cached_property
    def seeds(self) -> tuple[int, ...]:
        """The seeds, ascending."""
        return tuple(int(seed) for seed in np.unique(self._seed_of_row))

    @cached_property
    def _seed_of_row(self) -> npt.NDArray[np.int64]:
        try:
            if "seed" not in pq.read_schema(self.path).names:
                raise DataError(f"{self.path.name} has no column 'seed', which tells runs apart.")
            column = pq.read_table(self.path, columns=["seed"]).column("seed")
        except (pa.ArrowException, OSError) as error:
            first = str(error).splitlines()[0]
            raise DataError(f"{self.path} cannot be read: {first}. {HOW_TO_GET}") from None
        return np.asarray(column.to_numpy(), dtype=np.int64)

    @cached_property
    def surrogates(self) -> Mapping[str, str] | None:
        """Where these evaluations come from, by their own file; None if not recorded there."""
        try:
            told = (pq.read_schema(self.path).metadata or {}).get(SURROGATES)
        except (pa.ArrowException, OSError):
            return None  # reported where the seeds are read
        return None if told is None else dict(json.loads(told))

    @cached_property
    def table(self) -> condped.TrialTable:
        """All trials of all seeds."""
        scenario = self.scenario
        return condped.read(
            self._columns,
            objective=scenario.objective,
            direction="maximize",
            space=dict(scenario.space),
        )

    def trials(self, seed: int) -> condped.TrialTable:
        """Return the trials of one seed."""
        return self.table.only(self._rows(seed))

    def by_learner(self, seed: int) -> dict[str, npt.NDArray[np.float64]]:
        """Return the objective of each learner's trials; learners without trials are left out."""
        rows = self._rows(seed)
        values = self.table.objectives[0].values[rows]
        chosen = self._columns.column(self.scenario.learner_key).to_pandas().to_numpy()[rows]
        found = {name: values[chosen == name] for name in self.scenario.learners}
        return {name: part for name, part in found.items() if len(part)}

    def _rows(self, seed: int) -> npt.NDArray[np.bool_]:
        rows = np.asarray(self._seed_of_row == seed)
        if not rows.any():
            raise DataError(f"{self.path.name} has no seed {seed}. It has: {list(self.seeds)}.")
        return rows


def find_folder(given: Path | str | None = None) -> Path | None:
    """Return the folder of evaluation sets: as given, from the environment, or beside the project.

    None if neither is given and the default is not there. A named folder must exist.
    """
    named = given or os.environ.get(VARIABLE)
    if named:
        path = Path(named).expanduser()
        if not any(path.glob("*.domains.json")):
            raise DataError(f"No evaluation sets (*.domains.json) in {path}. {HOW_TO_GET}")
        return path
    return DEFAULT if DEFAULT.is_dir() else None


def read_folder(path: Path) -> dict[str, dict[str, Evaluations]]:
    """Return family → instance → evaluations, in the order of the files' names."""
    found: dict[str, dict[str, Evaluations]] = {}
    for file in sorted(path.glob("*.parquet")):
        name, _, instance = file.stem.rpartition("_")
        scenario = read_scenario(path / f"{name}.domains.json")
        instances = found.setdefault(scenario.family, {})
        if instance in instances:
            raise DataError(
                f"{path} has instance {instance} of {scenario.family} twice: "
                f"{instances[instance].path.name} and {file.name}. Remove one."
            )
        instances[instance] = one = Evaluations(scenario, instance, file)
        if one.surrogates is not None and one.surrogates != dict(scenario.surrogates):
            raise DataError(
                f"{path} mixes surrogates: {file.name} was evaluated with {_text(one.surrogates)}, "
                f"{name}.domains.json names {_text(scenario.surrogates)}. Sample all instances "
                "with one, each surrogate into a folder of its own."
            )
    return found


def _text(surrogates: Mapping[str, str]) -> str:
    return ", ".join(f"{key} {value}" for key, value in surrogates.items()) or "none"


@lru_cache(maxsize=4)
def read_once(path: Path) -> dict[str, dict[str, Evaluations]]:
    """Return the same as :func:`read_folder`, each file read once per process."""
    return read_folder(path)


def read_scenario(path: Path) -> Scenario:
    """Read a file of domains."""
    if not path.is_file():
        raise DataError(f"{path.name} is missing in {path.parent}: it holds the domains.")
    try:
        return _scenario(json.loads(path.read_text(encoding="utf-8")))
    except KeyError as error:
        raise _unusable(path, f"an entry lacks {error}") from None
    except (ValueError, TypeError, AttributeError) as error:
        raise _unusable(path, str(error)) from None


def _unusable(path: Path, why: str) -> DataError:
    return DataError(f"{path} is not a file of domains: {why}. {HOW_TO_GET}")


def _scenario(data: Mapping[str, Any]) -> Scenario:
    """Return a scenario from the data of its file."""
    entries = data["hyperparameters"]
    key = data["learner_key"]
    chosen = [entry for entry in entries if entry["name"] == key]
    if not chosen:
        raise ValueError(f"it has no hyperparameter {key!r}, its learner_key")
    return Scenario(
        name=data["scenario"],
        learner_key=key,
        objective=data.get("paper_target", data["target"]),
        learners={learner: _only_with(learner, key, entries) for learner in chosen[0]["choices"]},
        space={entry["name"]: domain(entry) for entry in entries},
        surrogates=data.get("surrogates", {}),
    )


def domain(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return one entry of a file of domains as condped's plain data."""
    found: dict[str, Any] = {"type": entry["type"]}
    if entry["type"] == "categorical":
        found["choices"] = entry["choices"]
    else:
        found |= {"low": entry["low"], "high": entry["high"], "log": bool(entry["log"])}
    if entry.get("condition"):
        found["when"] = " and ".join(
            f"`{part['parent']}` in {json.dumps(part['in'])}" for part in entry["condition"]
        )
    return found


def _only_with(learner: str, key: str, entries: list[dict[str, Any]]) -> tuple[str, ...]:
    """Return the hyperparameters whose conditions require this learner and no other."""
    return tuple(
        entry["name"]
        for entry in entries
        if any(
            part["parent"] == key and part["in"] == [learner]
            for part in entry.get("condition") or ()
        )
    )
