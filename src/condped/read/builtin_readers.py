"""The readers of condped, and how each recognises its sources without importing anything."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from condped.errors import DataError
from condped.read.databases.sqlite import COLUMNS, snapshot, without_scheme
from condped.read.files.first_bytes import first_bytes
from condped.read.files.named_path import expanded
from condped.read.registry import Reader

_DATABASE_FILES = (".db", ".sqlite", ".sqlite3")
_SQLITE = b"SQLite format 3"  # the first bytes of such a file


def _class_from(*classes: str) -> Callable[[Any], bool]:
    """Return a test for instances of libraries' classes, each given as library.Class."""
    known = {tuple(name.split(".")) for name in classes}

    def recognises(source: Any) -> bool:
        return any(
            (base.__module__.split(".")[0], base.__name__) in known for base in type(source).__mro__
        )

    return recognises


def _url(*schemes: str) -> Callable[[Any], bool]:
    """Return a test for URLs; a driver may follow the scheme, as in mysql+pymysql://."""

    def recognises(source: Any) -> bool:
        if not isinstance(source, str) or "://" not in source:
            return False
        return source.partition("://")[0].partition("+")[0].lower() in schemes

    return recognises


def _file(*endings: str, packed: bool = False) -> Callable[[Any], bool]:
    """Return a test for files by their ending; if packed, .gz or .zst may follow."""

    def recognises(source: Any) -> bool:
        if not isinstance(source, str) or "://" in source or _is_many_files(source):
            return False
        suffixes = [suffix.lower() for suffix in Path(source).suffixes]
        if packed and suffixes and suffixes[-1] in (".gz", ".zst"):
            suffixes.pop()
        return bool(suffixes) and suffixes[-1] in endings

    return recognises


def _folder(*patterns: str) -> Callable[[Any], bool]:
    """Return a test for directories that hold a file of one of the patterns."""

    def recognises(source: Any) -> bool:
        if not isinstance(source, str) or not Path(source).is_dir():
            return False
        return any(next(Path(source).glob(pattern), None) for pattern in patterns)

    return recognises


def _is_many_files(source: Any) -> bool:
    """Return whether a source names several files: a directory, or a pattern with * ? [ ]."""
    if not isinstance(source, str) or "://" in source:
        return False
    path = Path(source)
    return path.is_dir() or (any(sign in source for sign in "*?[") and not path.is_file())


def _first_bytes(source: Any, size: int) -> bytes:
    """Return the first bytes of a file; empty if the source is not a file."""
    if not isinstance(source, str) or not Path(source).is_file():
        return b""
    return first_bytes(Path(source), size)


def _sqlite(source: Any) -> bool:
    return (
        _url("sqlite")(source)
        or _file(*_DATABASE_FILES)(source)
        or _first_bytes(source, 16).startswith(_SQLITE)
    )


def _journal(source: Any) -> bool:
    start = _first_bytes(source, 200).lstrip()
    return start.startswith(b"{") and b'"op_code"' in start


def _mlflow_database(source: Any) -> bool:
    """Return whether an SQLite file holds the tables of an MLflow store."""
    if not isinstance(source, str):
        return False
    path = Path(expanded(without_scheme(source).partition("?")[0]))
    return _has_tables(
        path,
        {
            "experiments": {"experiment_id"},
            "runs": {"run_uuid"},
            "params": {"key"},
            "latest_metrics": {"key"},
        },
    )


def _mlflow_folder(source: Any) -> bool:
    """Return whether a directory, or a file: URI of one, holds experiments or runs of MLflow."""
    if not isinstance(source, str):
        return False
    path = unquote(source.removeprefix("file:").removeprefix("//"))
    return _folder("*/meta.yaml")(path if source.startswith("file:") else source)


def _ax_file(source: Any) -> bool:
    start = _first_bytes(source, 4096)
    return start.lstrip().startswith(b"{") and b'"__type"' in start


def _hpbandster_folder(source: Any) -> bool:
    """Return whether a directory has both files, and configs.json begins with an array's id."""
    if not _folder("configs.json")(source) or not _folder("results.json")(source):
        return False
    start = _first_bytes(str(Path(source, "configs.json")), 64).split()
    return b"".join(start).startswith(b"[[")


def _trackio(source: Any) -> bool:
    """Return whether an SQLite file, or the first of a directory, is a project of Trackio."""
    if not isinstance(source, str):
        return False
    path = Path(expanded(without_scheme(source).partition("?")[0]))
    if path.is_dir():
        found = next(iter(sorted(path.glob("*.db"))), None)
        return found is not None and _trackio(str(found))
    return _has_tables(path, {"metrics": {"run_name", "step", "metrics"}, "configs": {"config"}})


def _has_tables(path: Path, needed: Mapping[str, set[str]]) -> bool:
    """Return whether an SQLite file has tables with these columns."""
    if not _first_bytes(str(path), 16).startswith(_SQLITE):
        return False
    try:
        with snapshot(str(path), brief=True) as (_, database):
            return all(
                columns <= {name for (name,) in database.execute(COLUMNS, (table,))}
                for table, columns in needed.items()
            )
    except DataError:  # the reader of such files will report it
        return False


def _cv_results(source: Any) -> bool:
    """Return whether a mapping is the cv_results_ of one of scikit-learn's searches."""
    return (
        isinstance(source, Mapping)
        and "params" in source
        and any(isinstance(name, str) and name.startswith("mean_test_") for name in source)
    )


def _records(source: Any) -> bool:
    return (
        isinstance(source, Sequence)
        and not isinstance(source, (str, bytes))
        and all(isinstance(record, Mapping) for record in source)
    )


def _frame(source: Any) -> bool:
    """Return whether narwhals accepts an object as a frame, lazy or not."""
    import narwhals as nw  # noqa: PLC0415  (only for objects that no other reader takes)

    if isinstance(source, str):
        return False
    try:
        found = nw.from_native(source, pass_through=True)
    except nw.exceptions.DuplicateError:  # its reader says which column is duplicated
        return True
    return isinstance(found, nw.DataFrame | nw.LazyFrame)


READERS: tuple[Reader, ...] = (
    Reader(
        "optuna-study",
        "an optuna.Study in memory",
        _class_from("optuna.Study"),
        "condped.read.optuna.study",
    ),
    Reader(
        "rustuna-study",
        "a rustuna.Study in memory (its files are read as Optuna's)",
        _class_from("rustuna.Study"),
        "condped.read.optuna.rustuna",
    ),
    Reader(
        "mlflow-sqlite",
        "an MLflow tracking store in SQLite (sqlite:///mlflow.db, or the file itself)",
        _mlflow_database,
        "condped.read.tools.mlflow.sqlite",
    ),
    Reader(
        "trackio",
        "a Trackio project (its SQLite file), or the directory with the projects",
        _trackio,
        "condped.read.tools.trackio",
    ),
    Reader(
        "optuna-sqlite",
        "an Optuna study in SQLite (sqlite:///study.db, or the file itself: .db, .sqlite3)",
        _sqlite,
        "condped.read.optuna.sqlite",
    ),
    Reader(
        "optuna-postgresql",
        "an Optuna study in PostgreSQL (postgresql://user:password@host/database)",
        _url("postgresql", "postgres"),
        "condped.read.optuna.psycopg",
        library="psycopg",
        extra="postgresql",
    ),
    Reader(
        "optuna-mysql",
        "an Optuna study in MySQL or MariaDB (mysql://user:password@host/database)",
        _url("mysql", "mariadb"),
        "condped.read.optuna.pymysql",
        library="pymysql",
        extra="mysql",
    ),
    Reader(
        "optuna-journal",
        "an Optuna journal file (JSON lines of operations, under any name)",
        _journal,
        "condped.read.optuna.journal",
    ),
    Reader(
        "optuna-storage",
        "an Optuna storage object",
        _class_from("optuna.BaseStorage"),
        "condped.read.optuna.storage",
        library="optuna",
        extra="optuna",
    ),
    Reader(
        "optuna-redis",
        "an Optuna journal in Redis (redis://host:6379/0)",
        _url("redis", "rediss"),
        "condped.read.optuna.storage",
        library="optuna and redis",
        extra="redis",
    ),
    Reader(
        "optuna-grpc",
        "an Optuna storage behind its gRPC proxy (grpc://host:13000)",
        _url("grpc"),
        "condped.read.optuna.storage",
        library="optuna and grpc",
        extra="grpc",
    ),
    Reader(
        "smac",
        "the output directory of SMAC3 (with runhistory.json and configspace.json)",
        lambda source: (
            _folder("runhistory.json", "*/runhistory.json", "*/*/runhistory.json")(source)
            or (isinstance(source, str) and Path(source).name == "runhistory.json")
        ),
        "condped.read.tools.smac.folder",
    ),
    Reader(
        "ray-results",
        "a ray.tune.ResultGrid (or ExperimentAnalysis) in memory",
        _class_from("ray.ResultGrid", "ray.ExperimentAnalysis"),
        "condped.read.tools.ray.results",
    ),
    Reader(
        "ray-folder",
        "the experiment directory of Ray Tune (with experiment_state-*.json)",
        lambda source: (
            _folder("experiment_state-*.json", "*/experiment_state-*.json")(source)
            # ... or that of one of its trials, whose error says what to pass instead
            or (_folder("params.json")(source) and _folder("result.json")(source))
        ),
        "condped.read.tools.ray.folder",
    ),
    Reader(
        "hyperopt",
        "a hyperopt.Trials in memory",
        _class_from("hyperopt.Trials"),
        "condped.read.tools.hyperopt",
    ),
    Reader(
        "scikit-learn",
        "a fitted GridSearchCV, RandomizedSearchCV, halving search or the like, or cv_results_",
        lambda source: _class_from("sklearn.BaseSearchCV")(source) or _cv_results(source),
        "condped.read.tools.scikit_learn.search",
    ),
    Reader(
        "mlflow-files",
        "an MLflow tracking store of files (mlruns)",
        _mlflow_folder,
        "condped.read.tools.mlflow.yaml",
        library="yaml",
        extra="mlflow",
    ),
    Reader(
        "syne-tune",
        "the experiment directory of Syne Tune (with results.csv.zip and metadata.json)",
        _folder("results.csv.zip"),
        "condped.read.tools.syne_tune",
    ),
    Reader(
        "keras-tuner",
        "the project directory of Keras Tuner (with oracle.json and trial_*/trial.json)",
        _folder("oracle.json", "*/oracle.json"),
        "condped.read.tools.keras_tuner.folder",
    ),
    Reader(
        "hpbandster",
        "a result directory of hpbandster, such as BOHB's (with configs.json and results.json)",
        _hpbandster_folder,
        "condped.read.tools.hpbandster",
    ),
    Reader(
        "ax",
        "a JSON file that Ax saved",
        _ax_file,
        "condped.read.tools.ax",
    ),
    Reader(
        "mapping",
        "a mapping of column names to arrays or lists",
        lambda source: isinstance(source, Mapping),
        "condped.read.frames.mappings",
    ),
    Reader(
        "records",
        "a list of mappings, one per trial",
        _records,
        "condped.read.frames.mappings",
    ),
    Reader(
        "frame",
        "a dataframe of pandas, Polars, pyarrow, Dask or DuckDB, such as the exports of MLflow, "
        "W&B, Ray",
        _frame,
        "condped.read.frames.frame",
    ),
    Reader(
        "csv",
        "a CSV file (.csv, .tsv; also .gz, .zst), one row per trial",
        _file(".csv", ".tsv", packed=True),
        "condped.read.files.csv",
    ),
    Reader(
        "json-lines",
        "JSON lines (.jsonl, .ndjson; also .gz, .zst) or a list (.json), one object per trial",
        _file(".jsonl", ".ndjson", ".json", packed=True),
        "condped.read.files.json_lines",
    ),
    Reader(
        "parquet",
        "a Parquet file (.parquet, .pq), one row per trial",
        _file(".parquet", ".pq"),
        "condped.read.files.pyarrow_files",
        library="pyarrow",
        extra="parquet",
    ),
    Reader(
        "arrow",
        "an Arrow or Feather file (.arrow, .feather), one row per trial",
        _file(".arrow", ".feather"),
        "condped.read.files.pyarrow_files",
        library="pyarrow",
        extra="parquet",
    ),
    Reader(
        "files",
        "a directory or pattern of CSV, JSON lines, Parquet or Arrow files ('runs/*.csv')",
        _is_many_files,
        "condped.read.files.folder",
    ),
)
