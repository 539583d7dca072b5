"""MLflow tracking stores of files: mlruns/<experiment>/<run>/ with meta.yaml, params, metrics."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import yaml

from condped.errors import DataError
from condped.read.expansion import check_cells
from condped.read.files.regular import regular_bytes
from condped.read.options import ReadOptions
from condped.read.tools.mlflow.conventions import PARENT_TAG
from condped.read.tools.mlflow.runs import (
    Experiment,
    ExperimentRuns,
    deleted_note,
    experiment_tables,
    requested_metrics,
    select_experiment,
    select_experiments,
)
from condped.trials.columns import number_of
from condped.trials.table import TrialTable

# Both only parse; the first is faster, if PyYAML was built with it.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_META = "meta.yaml"
# MLflow's own files have less than a kilobyte and two levels.
_MOST_BYTES, _MOST_LEVELS = 1 << 20, 20
# How MLflow numbers the statuses in these files.
_STATUSES = {1: "RUNNING", 2: "SCHEDULED", 3: "FINISHED", 4: "FAILED", 5: "KILLED"}
# Directories beside those of the runs.
_RESERVED = {"tags", "datasets", "traces", "models"}


def read(source: str, options: ReadOptions) -> TrialTable:
    """Return the runs of an experiment in a directory that MLflow wrote."""
    options.refuse("an MLflow experiment", "budget")
    folder = _folder(source)
    experiments = {
        Experiment(
            id=path.name,
            name=str(meta.get("name", path.name)),
            # Counting takes a while, and is needed only if no experiment is named.
            runs=0 if options.study is not None else len(_Runs.found(path, meta, options).folders),
        ): (path, meta)
        for path, meta in _experiments(folder)
        if meta.get("lifecycle_stage", "active") == "active"
    }
    chosen = select_experiment(list(experiments), options.study, f"The directory {str(folder)!r}")
    runs = _Runs.found(*experiments[chosen], options)
    return runs.collected(options).table(options, f"the MLflow experiment {chosen.name!r}")


def read_all(source: str, options: ReadOptions) -> list[tuple[str, TrialTable]]:
    """Return the runs of all experiments in a directory, or of those that match a pattern."""
    options.refuse("an MLflow experiment", "budget")
    folder = _folder(source)
    # By time, since the ids that name the directories are random.
    in_time = sorted(
        _experiments(folder), key=lambda one: number_of(one[1].get("creation_time")) or 0.0
    )
    found = {
        Experiment(path.name, str(meta.get("name", path.name)), len(runs.folders)): runs
        for path, meta in in_time
        if meta.get("lifecycle_stage", "active") == "active"
        for runs in (_Runs.found(path, meta, options),)
    }
    chosen = select_experiments(list(found), options.patterns, f"The directory {str(folder)!r}")
    return experiment_tables(chosen, lambda one: found[one].collected(options), options)


def _folder(source: str) -> Path:
    """Return the directory that a path or a file: URI names."""
    named = source
    if source.startswith("file:"):
        named = unquote(source.removeprefix("file:").removeprefix("//"))
    if not Path(named).is_dir():
        raise DataError(
            f"There is no directory {named!r} (current directory: {str(Path.cwd())!r})."
        )
    return Path(named)


def _experiments(folder: Path) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Iterate over a store's experiments; the directory may also be that of one experiment."""
    alone = (folder / _META).is_file()
    paths = [folder] if alone else sorted(path.parent for path in folder.glob(f"*/{_META}"))
    for path in paths:
        meta = _meta(path)
        if "run_id" in meta or "run_uuid" in meta:
            raise DataError(
                f"The directory {str(path)!r} is that of a single run. Give the directory of its "
                "experiment, or of the whole store (mlruns)."
            )
        yield path, meta
    if not paths:
        raise DataError(
            f"The directory {str(folder)!r} is not an MLflow store: none of its directories has a "
            f"{_META}."
        )


def _meta(folder: Path) -> Mapping[str, Any]:
    path = folder / _META
    try:
        text = regular_bytes(path, _MOST_BYTES + 1)
        if len(text) > _MOST_BYTES:
            raise ValueError(f"it has more than {_MOST_BYTES:,} bytes")
        meta = _entries(text)
    except OSError as error:
        raise DataError(
            f"The file {str(path)!r} cannot be read: {error.strerror}. {_REMEDY}"
        ) from error
    except (yaml.YAMLError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise DataError(f"The file {str(path)!r} is not valid YAML: {reason}. {_REMEDY}") from error
    if meta is None:
        raise DataError(f"The file {str(path)!r} must hold named entries. {_REMEDY}")
    return meta


def _entries(text: bytes) -> dict[str, Any] | None:
    """Return the entries of a YAML mapping that are single values; None if it is not a mapping.

    Nothing else is built: a few aliases may stand for billions of values, and nesting may exceed
    the parser's stack.
    """
    resolver = yaml.SafeLoader("")
    found: list[Any] = []  # names and values in turn
    levels = documents = 0
    for event in yaml.parse(text, Loader=_LOADER):
        if isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents > 1:
                raise ValueError("it has more than one document")
        elif isinstance(event, yaml.CollectionStartEvent):
            levels += 1
            if event.tag not in (None, "!", *_COLLECTIONS):
                raise ValueError(f"could not determine a constructor for the tag {event.tag!r}")
            if levels == 1 and not isinstance(event, yaml.MappingStartEvent):
                return None
            if levels == 2:
                found.append(_NESTED)
            if levels > _MOST_LEVELS:
                raise ValueError(f"it is nested more than {_MOST_LEVELS} levels deep")
        elif isinstance(event, yaml.CollectionEndEvent):
            levels -= 1
        elif isinstance(event, yaml.NodeEvent) and levels == 0:
            return None
        elif isinstance(event, yaml.AliasEvent) and levels == 1:
            found.append(_NESTED)
        elif isinstance(event, yaml.ScalarEvent) and levels == 1:
            tag = event.tag or resolver.resolve(yaml.ScalarNode, event.value, event.implicit)
            found.append(_scalar(resolver, tag, event.value))
    pairs = zip(found[::2], found[1::2], strict=True)
    named = {str(name): value for name, value in pairs if value is not _NESTED}
    return named if documents else None


def _scalar(resolver: yaml.SafeLoader, tag: str, text: str) -> Any:
    """Return a single value; the text itself if it does not match its tag."""
    try:
        return resolver.construct_object(yaml.ScalarNode(tag, text))
    except (ArithmeticError, AttributeError, LookupError):
        return text


_NESTED = object()
_COLLECTIONS = ("tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")
_REMEDY = "Restore it, or leave out runs that cannot be read with the option skip_corrupt."


@dataclass(frozen=True, slots=True)
class _Runs:
    """The directories of an experiment's runs in the order of their start."""

    folders: list[tuple[Path, Mapping[str, Any]]]  # that are not deleted
    deleted: int
    foreign: int  # recorded for another experiment
    corrupt: int

    @classmethod
    def found(cls, experiment: Path, about: Mapping[str, Any], options: ReadOptions) -> _Runs:
        """Find the runs in an experiment's directory; ``about`` is the content of its meta file."""
        owner = str(about.get("experiment_id", experiment.name))
        folders, deleted, foreign, corrupt = [], 0, 0, 0
        for path in sorted(experiment.iterdir()):
            if path.name in _RESERVED or not path.is_dir():
                continue
            if not any((path / part).exists() for part in (_META, "params", "metrics")):
                continue  # such as artifacts
            try:
                meta = _meta(path)
            except DataError:
                if not options.skip_corrupt:
                    raise
                corrupt += 1
                continue
            if str(meta.get("experiment_id", owner)) != owner:
                foreign += 1
            elif meta.get("lifecycle_stage", "active") != "active":
                deleted += 1
            else:
                folders.append((path, meta))
        folders.sort(key=lambda run: (number_of(run[1].get("start_time")) or 0.0, run[0].name))
        return cls(folders, deleted, foreign, corrupt)

    def collected(self, options: ReadOptions) -> ExperimentRuns:
        """Read the runs' files."""
        requested, runs, corrupt = requested_metrics(options), [], self.corrupt
        for path, meta in self.folders:
            try:
                runs.append(_Run.read(path, meta, requested))
            except DataError:
                if not options.skip_corrupt:
                    raise
                corrupt += 1
        names = dict.fromkeys(name for run in runs for name in run.metric_names)
        notes = list(deleted_note(self.deleted))
        if self.foreign:
            notes.append(f"Runs recorded for another experiment left out: {self.foreign}.")
        if corrupt:
            notes.append(f"Runs that cannot be read left out: {corrupt}.")
        parameters = dict.fromkeys(name for run in runs for name in run.parameters)
        check_cells(
            len(runs) * len(parameters),
            sum(len(run.parameters) for run in runs),
            "The MLflow experiment",
            "values of parameters",
        )
        return ExperimentRuns(
            ids=[run.id for run in runs],
            statuses=[run.status for run in runs],
            parameters={name: [run.parameters.get(name) for run in runs] for name in parameters},
            metrics={
                name: np.array([run.metrics.get(name, np.nan) for run in runs]) for name in names
            },
            metric_names=names,
            parents={run.id: run.parent for run in runs if run.parent},
            times=[run.times for run in runs],
            notes=tuple(notes),
        )


@dataclass(frozen=True, slots=True)
class _Run:
    id: str
    status: str
    parameters: Mapping[str, str]
    metrics: Mapping[str, float]
    metric_names: tuple[str, ...]
    parent: str
    times: tuple[float | None, float | None]  # start and end in milliseconds

    @classmethod
    def read(cls, folder: Path, meta: Mapping[str, Any], requested: set[str]) -> _Run:
        number = meta.get("status", 1)
        metrics = dict(_files(folder / "metrics"))
        parent = folder / "tags" / PARENT_TAG
        return cls(
            id=folder.name,
            status=_STATUSES.get(number, str(number)),
            parameters={name: _text(path) for name, path in _files(folder / "params")},
            metrics={name: _latest(metrics[name]) for name in requested if name in metrics},
            metric_names=tuple(metrics),
            parent=_text(parent) if parent.is_file() else "",
            times=(number_of(meta.get("start_time")), number_of(meta.get("end_time"))),
        )


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Iterate over entries, one file each; a slash in a name makes a directory."""
    for root, _, names in os.walk(folder):
        for name in names:
            path = Path(root, name)
            yield path.relative_to(folder).as_posix(), path


def _text(path: Path) -> str:
    try:
        return regular_bytes(path).decode("utf-8")
    except OSError as error:
        raise DataError(
            f"The file {str(path)!r} cannot be read: {error.strerror}. {_REMEDY}"
        ) from error
    except UnicodeDecodeError as error:
        raise DataError(
            f"The file {str(path)!r} is not UTF-8 text: {error.reason}. {_REMEDY}"
        ) from error


def _latest(path: Path) -> float:
    """Return a metric's value at the last step, as MLflow does."""
    entries = []
    for place, line in enumerate(_text(path).splitlines(), start=1):
        fields = line.split(" ")
        try:
            # MLflow takes a step from lines of three fields only, not where a data set follows.
            step = int(fields[2]) if len(fields) == 3 else 0
            entries.append((step, int(fields[0]), float(fields[1])))
        except (ValueError, IndexError):
            raise DataError(
                f"Line {place} of {str(path)!r} must hold a time, a value and a step (got "
                f"{line!r}). {_REMEDY}"
            ) from None
    if not entries:
        raise DataError(f"The file {str(path)!r} is empty, but a metric has a value. {_REMEDY}")
    return max(entries)[2]
