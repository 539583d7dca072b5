"""Ray Tune's experiment directories, read from their JSON files: nothing is unpickled.

The newest ``experiment_state-*.json`` names the trials, their directories and their status. The
last report of a trial is the last line of its ``result.json``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from condped.errors import DataError
from condped.read.files.json_object import json_object
from condped.read.files.regular import regular_bytes
from condped.read.options import ReadOptions
from condped.read.tools.ray.results import RayTrial, table_of
from condped.space.domain import Categorical
from condped.space.space import Space
from condped.trials.table import TrialTable

_STATES = "experiment_state-*.json"
_REMEDY = "Restore the file, or use Ray to restore the experiment and pass its ResultGrid."
_PICKLED = "CLOUDPICKLE_FALLBACK"


def read(source: str, options: ReadOptions) -> TrialTable:
    """Return the trials of an experiment, in the order in which Ray restores them."""
    folder = _Folder(Path(source), options.skip_corrupt, keep_history=options.reports)
    trials = folder.trials()
    choice_texts = _choice_texts(options.space)
    if choice_texts:
        trials = [
            replace(trial, config=_restore_choices(trial.config, "", choice_texts))
            for trial in trials
        ]
    return table_of(
        trials,
        options,
        "a directory of Ray Tune",
        metric=folder.metric,
        mode=None,  # Ray keeps it in a pickle only
        notes=folder.notes(),
    )


class _Folder:
    """An experiment's directory, and the problems found in it."""

    def __init__(self, path: Path, skip_corrupt: bool, *, keep_history: bool) -> None:
        self.path = path
        self.keep_history = keep_history
        self.skip_corrupt = skip_corrupt
        self.cut: list[str] = []
        self.skipped: list[str] = []
        self.pickled: set[str] = set()
        files = sorted(path.glob(_STATES))
        if not files:
            raise DataError(
                f"There is no {_STATES} in {str(path)!r}. Give the directory of one experiment: "
                f"the storage_path and the name of its RunConfig.{_nearby_experiments(path)}"
            )
        self.file = files[-1]  # a resumed experiment writes a new one with all trials
        state = json_object(self.file, _REMEDY)
        try:
            # JSON texts inside JSON: the constant part, and the part that the run updates.
            pairs = [(json.loads(fixed), json.loads(run)) for fixed, run in state["trial_data"]]
            self.records = [
                {"last_result": {}, "relative_logdir": None, **fixed, **run} for fixed, run in pairs
            ]
            self.metric: str | None = state["runner_data"].get("_metric")
            for record in self.records:
                record["status"].upper(), record["config"].keys(), record["trial_id"]
                (record["last_result"] or {}).keys()
                if not isinstance(record["relative_logdir"], str | None):
                    raise TypeError("relative_logdir is not a string")
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise DataError(
                f"The file {str(self.file)!r} is not the state of an experiment as Ray Tune 2 "
                f"writes it ({type(error).__name__}: {error}). Use Ray to restore the experiment, "
                "and pass its ResultGrid."
            ) from error

    def trials(self) -> list[RayTrial]:
        """Return all trials."""
        return [self._trial(record) for record in self.records]

    def notes(self) -> list[str]:
        """Return notes on the directory for the user."""
        found = []
        if self.cut:
            found.append(
                f"The last line of {_describe_files(self.cut)} is cut off and was left out; the "
                "line before it counts."
            )
        if self.skipped:
            found.append(
                f"{len(self.skipped)} corrupt lines were skipped: {self._first_skipped()}."
            )
        if self.pickled:
            names = ", ".join(sorted(self.pickled))
            found.append(f"Values that Ray pickled were not read: {names}.")
        known = {record["relative_logdir"] for record in self.records}
        others = [
            entry.name
            for entry in self.path.iterdir()
            if entry.name not in known and (entry / "params.json").is_file()
        ]
        if others:
            found.append(
                f"{len(others)} directories of trials are not named in {self.file.name}, which "
                "was saved before them; they were left out."
            )
        return found

    def _first_skipped(self) -> str:
        more = f" and {len(self.skipped) - 3} more" if len(self.skipped) > 3 else ""
        return ", ".join(self.skipped[:3]) + more

    def _trial(self, record: Mapping[str, Any]) -> RayTrial:
        place = record["relative_logdir"]
        folder = None if not place else self.path / Path(place).name
        # Ray also writes the configuration as text where its state holds pickled values.
        texts = folder / "params.json" if folder else None
        config = json_object(texts, _REMEDY) if texts and texts.is_file() else {}
        lines = [] if folder is None else self._lines(folder / "result.json")
        reported = lines[-1] if lines else None
        if reported is None:
            reported = self._without_pickles(record["last_result"] or {}, {"config": config})
        if reported.get("config") is None:
            config = self._without_pickles(record["config"], config)
        else:
            config = reported["config"]
        if not isinstance(config, dict):
            raise DataError(
                f"The configuration of trial {record['trial_id']} is not a JSON object "
                f"(got {type(config).__name__}). Correct or remove the files of this trial."
            )
        return RayTrial(config, reported, record["status"], lines if self.keep_history else ())

    def _lines(self, path: Path) -> list[dict[str, Any]]:
        """Return the last valid line, or all of them if they are kept."""
        try:
            lines = regular_bytes(path).splitlines(keepends=True)
        except FileNotFoundError:
            return []  # logging was disabled, or the trial has not started
        except OSError as error:
            raise DataError(f"{str(path)!r} cannot be read: {error.strerror}.") from error
        found: list[dict[str, Any]] = []
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            parsed = _object(line)
            if parsed is not None:
                if not self.keep_history:
                    found.clear()
                found.append(parsed)
            elif number == len(lines) and not line.endswith(b"\n"):
                self.cut.append(str(path))
            elif self.skip_corrupt:
                self.skipped.append(f"line {number} of {str(path)!r}")
            else:
                raise DataError(
                    f"Line {number} of {str(path)!r} is not a JSON object. Correct or remove "
                    "the line, or skip such lines with the option skip_corrupt.",
                    first_row=number - 1,
                )
        return found

    def _without_pickles(
        self, values: Mapping[str, Any], texts: Any, above: str = ""
    ) -> dict[str, Any]:
        """Return values with texts in place of pickles in the JSON, which are never opened."""
        kept: dict[str, Any] = {}
        for name, value in values.items():
            text = texts.get(name) if isinstance(texts, dict) else None
            if not isinstance(value, dict):
                kept[name] = value
            elif value.get("_type") != _PICKLED:
                kept[name] = self._without_pickles(value, text, f"{above}{name}/")
            elif text is not None:
                kept[name] = text
            else:
                self.pickled.add(f"{above}{name}")
        return kept


def _nearby_experiments(path: Path) -> str:
    """Name the experiments below a directory, or the one that it belongs to."""
    found = sorted({str(file.parent) for file in path.glob(f"*/{_STATES}")})
    if not found and next(path.parent.glob(_STATES), None):
        found = [str(path.parent)]
    return f" Available: {', '.join(map(repr, found[:12]))}." if found else ""


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        parsed = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, dict) else None


def _describe_files(paths: list[str]) -> str:
    return repr(paths[0]) if len(paths) == 1 else f"{len(paths)} result.json files"


def _choice_texts(space: Space | None) -> dict[str, dict[str, Any]]:
    """Return the texts that Ray writes for choices that JSON cannot hold (classes, functions)."""
    found: dict[str, dict[str, Any]] = {}
    for name in space or ():
        domains = [alternative.domain for alternative in space[name]] if space else []
        odd = {
            str(choice): choice
            for domain in domains
            if isinstance(domain, Categorical)
            for choice in domain.choices
            if not isinstance(choice, (str, int, float, tuple, type(None)))
        }
        if odd:
            found[name] = odd
    return found


def _restore_choices(
    config: Mapping[str, Any], above: str, choice_texts: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Return a configuration with texts replaced by the choices that they represent."""
    return {
        name: _restore_choices(value, f"{above}{name}/", choice_texts)
        if isinstance(value, dict)
        else choice_texts.get(above + name, {}).get(value, value)
        if isinstance(value, str)
        else value
        for name, value in config.items()
    }
