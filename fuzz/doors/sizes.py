"""Few bytes that expand to many: one dimension of a study is large, the others are small."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

import condped
from fuzz.door import Door
from fuzz.doors import tables
from fuzz.seeds import seed

_ROWS = 24
_X = {"type": "float", "low": 0.0, "high": 1.0}
_K = {"type": "categorical", "choices": ["a", "b"]}
Study: TypeAlias = tuple[tables.Columns, dict[str, Any], dict[str, Any]]  # and space and options


def _column(place: int) -> list[Any]:
    """Return values as random search draws them: replays of other samplers take long."""
    rng = Random(place)
    return [rng.random() for _ in range(_ROWS)]


def _where(held: Callable[[int], bool], place: int = 1) -> list[Any]:
    return [value if held(row) else None for row, value in enumerate(_column(place))]


_GATE = ["ab"[row % 2] for row in range(_ROWS)]


def _names(size: int) -> Study:
    return {f"p{place}": _column(place) for place in range(size)}, {}, {}


def _conditional(size: int) -> Study:
    names = [f"p{place}" for place in range(size)]
    columns = {n: _where(lambda row, p=place: row % 2 == p % 2) for place, n in enumerate(names)}  # type: ignore[misc]
    space = {n: {**_X, "when": f"k == '{'ab'[place % 2]}'"} for place, n in enumerate(names)}
    return {"k": _GATE, **columns}, {"k": _K, **space}, {}


def _domains(size: int) -> Study:
    numbers = [row * size // _ROWS for row in range(_ROWS)]
    alternatives = [{**_X, "high": 1.0 + one, "when": f"n == {one}"} for one in range(size)]
    space = {"n": {"type": "int", "low": 0, "high": size}, "x": alternatives}
    return {"n": numbers, "x": _column(1)}, space, {}


def _constraints(size: int) -> Study:
    names = [f"c{place}" for place in range(size)]
    columns = {name: [-value for value in _column(place)] for place, name in enumerate(names)}
    return {"x": _column(1), **columns}, {}, {"constraints": names}


def _objectives(size: int) -> Study:
    # All the same: the hypervolume of different ones takes exponential time, in Optuna as well.
    columns = {f"o{place}": _column(5) for place in range(size)}
    return {"x": _column(1), **columns}, {}, {"objective": list(columns)}


def _choices(size: int) -> Study:
    choices = [f"v{place}" for place in range(size)]
    values = [choices[row * size // _ROWS] for row in range(_ROWS)]
    return {"c": values}, {"c": {"type": "categorical", "choices": choices}}, {}


def _chain(size: int) -> Study:
    names = [f"p{place}" for place in range(size)]
    columns = {
        name: [0.9 if row % 2 else (None if place else 0.1) for row in range(_ROWS)]
        for place, name in enumerate(names)
    }
    space = {
        name: {**_X, "when": f"p{place - 1} > 0.5"} if place else _X
        for place, name in enumerate(names)
    }
    return columns, space, {}


def _when(write: Callable[[int], str]) -> Callable[[int], Study]:
    """Return studies whose ``x`` has a long condition."""

    def made(size: int) -> Study:
        numbers = [row * size // _ROWS for row in range(_ROWS)]
        space = {
            "k": _K,
            "n": {"type": "int", "low": 0, "high": size},
            "x": {**_X, "when": write(size)},
        }
        return {"k": _GATE, "n": numbers, "x": _where(lambda row: row % 2 == 0)}, space, {}

    return made


def _long_name(size: int) -> Study:
    return {"x" * size: _column(1)}, {"x" * size: _X}, {}


# What is large: how a study with it is made, and how large it may be.
_STUDIES: dict[str, tuple[Callable[[int], Study], int]] = {
    "names": (_names, 2_000),
    "conditional": (_conditional, 1_000),
    "domains": (_domains, 3_000),
    "constraints": (_constraints, 5_000),
    "objectives": (_objectives, 500),
    "choices": (_choices, 100_000),
    "chain": (_chain, 500),
    "repeated": (_when(lambda size: " and ".join(["k == 'a'"] * size)), 100_000),
    "or": (_when(lambda size: " or ".join(f"n == {one}" for one in range(size))), 30_000),
    "among": (_when(lambda size: f"n in [{', '.join(map(str, range(size)))}]"), 100_000),
    "nested": (_when(lambda size: f"{'not (' * size}k == 'a'{')' * size}"), 100_000),
    "long-name": (_long_name, 100_000),
}
_FORMS = ("mapping", "mapping", "csv", "jsonl", "stream")
_OTHERS = {"journal-domains": 3_000, "journal-names": 1_500, "sqlite-view": 100_000,
           "duckdb-view": 100_000, "special-files": 2_000}  # fmt: skip
_ASKED: dict[str, Callable[..., Any]] = {
    "importance": condped.importance,
    "sweep": condped.sweep,
    "branches": condped.branches,
    "advise": condped.advise,
    "effects": condped.effects,
    "joint": condped.joint_effects,
    "summary": condped.summary,
    "forecast": condped.forecast,
    "report": condped.report,
}


class Sizes(Door):
    """Everything from reading to saving, for studies with one large dimension."""

    name = "sizes"
    title = "Thousands of names, domains, choices or conditions, views, special files"
    weight = 0.1
    batch = 30
    imports = ("duckdb", "ibis", "ibis.backends.duckdb")

    def make(self, rng: Random) -> tuple[str, bytes]:
        what = rng.choice((*_STUDIES, *_OTHERS))
        most = _STUDIES[what][1] if what in _STUDIES else _OTHERS[what]
        size = int(most * 10 ** -rng.random())
        spec = {"size": size, "form": rng.choice(_FORMS), "ask": rng.choice(sorted(_ASKED))}
        if what == "special-files":
            spec["form"] = rng.choice(sorted(_SPECIAL))
        elif what.endswith("-view"):
            spec["form"] = rng.choice(("rows", "endless", "doubled"))
        return what, json.dumps(spec).encode()

    def ask(self, what: str, data: bytes) -> Any:
        spec = json.loads(data)
        asked, size, form = _ASKED[spec["ask"]], int(spec["size"]), spec["form"]
        if what not in _STUDIES:
            source, options = _other_source(what, size, form)
        else:
            columns, space, options = _STUDIES[what][0](size)
            options = {"objective": "loss", **options}
            if space:
                options["space"] = space
            source = _written({"loss": _column(5), **columns}, form)
            if form == "stream" and spec["ask"] == "importance":
                options["engine"] = "stream"
        result = asked(source, **options)
        str(result)
        json.dumps(result.to_data(), default=str)
        result.save("result.json")
        condped.load("result.json")
        return None


def _written(columns: tables.Columns, form: str) -> Any:
    if form == "mapping":
        return columns
    path = Path("trials.jsonl" if form == "jsonl" else "trials.csv")
    path.write_bytes(tables.json_lines_of(columns) if form == "jsonl" else tables.csv_of(columns))
    return str(path)


def _other_source(what: str, size: int, form: str) -> tuple[Any, dict[str, Any]]:
    """Return a source that is not a table, and the options that read it."""
    if what.startswith("journal"):
        lines = _varying_domains(size) if what == "journal-domains" else _many_parameters(size)
        Path("journal.log").write_text("".join(f"{json.dumps(o)}\n" for o in lines))
        return "journal.log", {}
    if what == "sqlite-view":
        return _sqlite_view(size, form), {"study": "tuning"}
    if what == "duckdb-view":
        backend = _duckdb_view(size, form)
        # An endless one takes a minute, which is tested elsewhere and more than an input may take.
        engine = "auto" if form == "endless" else "memory"
        return "trials", {"objective": "loss", "backend": backend, "engine": engine}
    return _special_files(size, form), {"objective": "loss"}


def _trial(number: int, parameters: dict[str, tuple[float, dict[str, Any]]]) -> list[Any]:
    """Return a journal's entries for a trial: parameters with their values and distributions."""
    at = {"worker_id": "w", "trial_id": number}
    begun = {"op_code": 4, "worker_id": "w", "study_id": 0, "datetime_start": "2026-01-01T00:00:00"}
    ended = {"op_code": 6, **at, "state": 1, "values": [number * 7 % 11 / 11],
             "datetime_complete": "2026-01-01T00:00:01"}  # fmt: skip
    drawn = [
        {"op_code": 5, **at, "param_name": name, "param_value_internal": value,
         "distribution": json.dumps(distribution)}
        for name, (value, distribution) in parameters.items()
    ]  # fmt: skip
    return [begun, *drawn, ended]


_STUDY = {"op_code": 0, "worker_id": "w", "study_name": "tuning", "directions": [1]}


def _float(high: float) -> dict[str, Any]:
    bounds = {"low": 0.0, "high": high, "log": False, "step": None}
    return {"name": "FloatDistribution", "attributes": bounds}


def _varying_domains(size: int) -> list[Any]:
    """Return a journal in which each trial has a domain of its own."""
    trials = (_trial(one, {"x": (Random(one).random(), _float(1.0 + one))}) for one in range(size))
    return [_STUDY, *(line for trial in trials for line in trial)]


def _many_parameters(size: int) -> list[Any]:
    """Return a journal with many parameters, each a choice of its own."""
    kinds = [
        {"name": "CategoricalDistribution", "attributes": {"choices": [f"v{place}", "b"]}}
        for place in range(size)
    ]
    trials = (
        _trial(one, {f"p{place}": ((one + place) % 2, kind) for place, kind in enumerate(kinds)})
        for one in range(12)
    )
    return [_STUDY, *(line for trial in trials for line in trial)]


def _number_query(size: int, form: str) -> str:
    """Return a query for ``size`` numbers, or for endlessly many."""
    end = f" WHERE i < {size}" if form == "rows" else ""
    return f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n{end}) SELECT i FROM n"


def _sqlite_view(size: int, form: str) -> str:
    path = Path("study.db")
    path.write_bytes(seed("optuna")["study.db"])
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("ALTER TABLE trial_params RENAME TO params")
        view = f"SELECT params.* FROM params, ({_number_query(size, form)})"
        if form == "doubled":
            columns = "param_id, trial_id, param_name, param_value"
            view = f"SELECT {columns}, distribution_json FROM params"
            for step in range(size % 90):
                connection.execute(f"CREATE VIEW v{step} AS {view}")
                view = f"SELECT {columns}, max(distribution_json, distribution_json) "
                view += f"AS distribution_json FROM v{step}"
        connection.execute(f"CREATE VIEW trial_params AS {view}")
    return f"sqlite:///{path}"


def _duckdb_view(size: int, form: str) -> str:
    import duckdb  # noqa: PLC0415  (imported by workers only)

    path = Path("trials.duckdb")
    path.unlink(missing_ok=True)
    with duckdb.connect(str(path), config={"threads": 1}) as connection:
        rows = _number_query(min(size, 20_000), "rows" if form == "doubled" else form)
        view = f"SELECT i % 7 / 7.0 AS loss, i % 11 / 11.0 AS x FROM ({rows})"
        for step in range(size % 90 if form == "doubled" else 0):
            connection.execute(f"CREATE VIEW v{step} AS {view}")
            view = f"SELECT loss, (x + x) / 2 AS x FROM v{step}"
        connection.execute(f"CREATE VIEW trials AS {view}")
    return f"duckdb://{path}"


def _socket(path: Path) -> None:
    with closing(socket.socket(socket.AF_UNIX)) as one:
        one.bind(str(path))


# What stands in a folder beside a table.
_SPECIAL: dict[str, Callable[[Path], None]] = {
    "fifo": os.mkfifo,
    "socket": _socket,
    "folder": Path.mkdir,
    "endless": lambda path: path.symlink_to("/dev/zero"),
    "terminal": lambda path: path.symlink_to("/dev/stdin"),
    "nothing": lambda path: path.symlink_to("gone.csv"),
    "circle": lambda path: path.symlink_to(path.name),
    "itself": lambda path: path.symlink_to("."),
    "empty": Path.touch,
    "secret": lambda path: path.touch(0),
    "many": lambda path: None,
}


def _special_files(size: int, form: str) -> str:
    folder = Path("folder")
    tables.emptied(folder)
    for number in range(size if form == "many" else 1):
        (folder / f"a{number}.csv").write_text("loss,x\n1,0.5\n2,0.25\n3,0.125\n")
    _SPECIAL[form](folder / "b.csv")
    return str(folder)
