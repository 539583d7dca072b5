"""Long tables: the same counts as the wide table that they were made from, on every engine."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import condped
from condped.count.counter import Counter, Query
from condped.count.order_statistics.keys import KeyBins, keys_of
from condped.count.order_statistics.series import Groups, Region, Series
from condped.count.ranking import ByLoss
from condped.errors import DataError, SettingsError
from condped.read.databases.long_table import LongTable
from condped.read.opening import open_source
from condped.space.condition import Condition
from condped.space.domain import Categorical, plain_domain
from condped.space.space import Space
from condped.trials.table import TrialTable
from condped.trials.used_trials import Handling
from tests.contracts.engines import fresh_name
from tests.contracts.places import Place
from tests.count.table_chunks import reference

# In the order of their names, which is that of a long table that records its domains.
SPACE = Space(
    {
        "c": {"type": "float", "low": 0, "high": 1},
        "k": {"type": "categorical", "choices": ["a", "b'\"", "ü"]},
        "n": {"type": "int", "low": 1, "high": 64, "log": True, "when": "k != 'a'"},
        "x": [
            {"type": "float", "low": -7, "high": -2, "when": "c < 0.5"},
            {"type": "float", "low": 1, "high": 3, "log": True, "when": "c >= 0.5"},
        ],
    }
)
MEASURED: Any = {"objective": "loss", "state": "ended", "constraints": ("g",)}
RANKING = ByLoss(Handling())
_ROWS = 200


def wide() -> pa.Table:
    """Return trials with one row each."""
    rng = np.random.default_rng(3)
    k, c = rng.choice(["a", "b'\"", "ü"], _ROWS), np.round(rng.random(_ROWS), 2)
    x = np.where(c < 0.5, rng.uniform(-7, -2, _ROWS), rng.uniform(1, 3, _ROWS))
    return pa.table(
        {
            "c": c,
            "x": x,
            "k": k,
            "n": pa.array(rng.integers(1, 65, _ROWS), mask=k == "a"),
            "loss": np.round(rng.normal(size=_ROWS), 1),
            "ended": rng.choice(["complete", "failed", "pruned"], _ROWS, p=[0.8, 0.1, 0.1]),
            "g": rng.normal(-1, 1, _ROWS),
            "time": rng.permutation(_ROWS) - 20,
        }
    )


def lengthened(table: TrialTable, value: Callable[[Any, float], Any]) -> pa.Table:
    """Return one row per trial and active parameter."""
    rows = []
    for parameter in table.parameters:
        for trial, (number, place) in enumerate(
            zip(parameter.values, parameter.domain_ids, strict=True)
        ):
            if place >= 0:
                domain = parameter.domains[place]
                text = json.dumps(plain_domain(domain))
                rows.append((trial, parameter.name, value(domain, float(number)), text))
    names = ["trial", "parameter", "value", "domain"]
    return pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))


def spelled(domain: Any, number: float) -> str:
    """Return a value as a text."""
    if isinstance(domain, Categorical):
        return str(domain.choices[int(number)])
    return repr(number)


def as_number(domain: Any, number: float) -> float:
    """Return a value as Optuna stores it."""
    return number


def measured(table: pa.Table) -> pa.Table:
    """Return the trials without their parameters."""
    trials = table.select(["loss", "ended", "g", "time"])
    return trials.append_column("trial", pa.array(np.arange(table.num_rows)))


def sources(place: Place) -> dict[str, tuple[LongTable, Space | None]]:
    """Return the trials in all the shapes that a long table can have."""
    table = wide()
    read = condped.read(table, space=SPACE, **MEASURED)
    texts, numbers = lengthened(read, spelled), lengthened(read, as_number)
    trials = measured(table)
    repeated = texts
    for name in ("loss", "ended", "g", "time"):
        repeated = repeated.append_column(name, trials[name].take(texts["trial"]))

    def put(content: pa.Table) -> Any:
        name = fresh_name()
        place.put(name, content)
        return place.connection.table(name)

    there = put(trials)
    return {
        "positions": (LongTable(put(numbers), there), None),
        "repeated": (LongTable(put(repeated)), None),
        "space": (LongTable(put(texts.drop(["domain"])), there), SPACE),
    }


@pytest.mark.parametrize(
    ("named", "shape"),
    [
        *(("duckdb_place", shape) for shape in ("positions", "repeated", "space")),
        *(("postgresql_place", shape) for shape in ("positions", "repeated", "space")),
    ],
)
def test_long_tables_are_counted_as_wide_ones(
    request: pytest.FixtureRequest, named: str, shape: str
) -> None:
    """The account, cells, conditions, groups, blocks and numbers are the same integers."""
    table, place = wide(), request.getfixturevalue(named)
    source, space = sources(place)[shape]
    opened = open_source(source, space=space, order="time", **MEASURED)
    counter = Counter(opened)
    oracle = reference(condped.read(table, space=SPACE, **MEASURED), times=table["time"].to_numpy())
    names = counter.schema.names
    assert names == oracle.schema.names
    assert [set(d) for d in counter.schema.domains] == [set(d) for d in oracle.schema.domains]
    ranking = ByLoss(Handling(failed="worst", pruned="keep", infeasible="drop"))
    chosen = Condition.parse("not n < 30 and k in ['ü', 'a']")
    for ours, theirs in ((counter, oracle), (counter.where(chosen), oracle.where(chosen))):
        tally, expected = ours.tally(ranking), theirs.tally(ranking)
        assert (tally.counts, tally.selections) == (expected.counts, expected.selections)
        assert (tally.lowest, tally.highest) == (expected.lowest, expected.highest)
        query = Query(
            ranking,
            np.array([-0.5, 0.3]),
            names,
            block_starts=np.array([60]),
            groups=Groups(2, 5),
            conditions=(Condition.parse("x < 0 or n > 10"),),
        )
        counted, right = ours.count(query), theirs.count(query)
        for name, mine, its in zip(names, counted.parameters, right.parameters, strict=True):
            np.testing.assert_array_equal(mine, its, err_msg=name)
        np.testing.assert_array_equal(counted.sizes, right.sizes)
        np.testing.assert_array_equal(counted.conditions, right.conditions)
        np.testing.assert_array_equal(counted.best, right.best)
    one = int(keys_of(np.array([1.0]))[0])
    bins = {
        Series("value", "x", 1): [KeyBins(one, 48, 32)],
        Series("value", "n", 0): [KeyBins(0, 2, 16, whole=True)],
    }
    within = Region(ranking, 0.5)
    marked = {
        series: [(several[0], np.arange(several[0].bins) % 2 == 0)]
        for series, several in bins.items()
    }
    found, expected_bins = counter.histogram(bins, within), oracle.histogram(bins, within)
    levels, expected_levels = counter.levels(marked, within), oracle.levels(marked, within)
    for series in bins:
        np.testing.assert_array_equal(found[series][0], expected_bins[series][0])
        np.testing.assert_array_equal(levels[series].values, expected_levels[series].values)
        np.testing.assert_array_equal(levels[series].counts, expected_levels[series].counts)
    opened.close()


def _count(place: Place, rows: pa.Table, **asked: Any) -> None:
    name, trials = fresh_name(), fresh_name()
    place.put(name, rows)
    place.put(trials, measured(wide()))
    source = LongTable(place.connection.table(name), place.connection.table(trials))
    counter = Counter(open_source(source, **{**MEASURED, **asked}))
    counter.tally(RANKING)
    counter.count(Query(RANKING, np.array([0.0]), counter.schema.names))


def _changed(column: str, value: Any, row: int = 0) -> pa.Table:
    rows = lengthened(condped.read(wide(), space=SPACE, **MEASURED), as_number)
    values = rows[column].to_pylist()
    values[row] = value
    return rows.set_column(rows.column_names.index(column), column, pa.array(values))


def _against_its_condition() -> pa.Table:
    """Return rows with one more, of a parameter that is inactive in its trial."""
    rows = _changed("value", 0.5).drop(["domain"])
    inactive = wide()["k"].to_pylist().index("a")
    more = pa.table({"trial": [inactive], "parameter": ["n"], "value": [3.0]})
    return pa.concat_tables([rows, more])


def test_what_a_long_table_cannot_mean_is_refused(duckdb_place: Place) -> None:
    """A parameter twice in a trial, a value outside, and a domain that is none."""
    last = _changed("value", 0.5).num_rows - 1
    with pytest.raises(DataError, match="Trial 0 has 2 rows for the parameter 'c'"):
        _count(duckdb_place, _changed("trial", 0, row=1))
    with pytest.raises(DataError, match=r"'c' has the value 7.0 outside its domain [^(]*\. Widen"):
        _count(duckdb_place, _changed("value", 7.0))
    with pytest.raises(DataError, match="domain of 'x' cannot be understood"):
        _count(duckdb_place, _changed("domain", "{", row=last))
    with pytest.raises(DataError, match="'n' has a value where none of its conditions holds"):
        _count(duckdb_place, _against_its_condition(), space=SPACE)
    with pytest.raises(SettingsError, match="has no column 'domain'"):
        _count(duckdb_place, _changed("value", 0.5).drop(["domain"]))


def test_what_finished_trials_lack_is_told(duckdb_place: Place) -> None:
    """A parameter without a row although its condition holds is inactive, and that is noted."""
    table = wide()
    read = condped.read(table, space=SPACE, **MEASURED)
    rows = lengthened(read, spelled).drop(["domain"])
    ended, k = table["ended"].to_pylist(), table["k"].to_pylist()
    due = [t for t in range(_ROWS) if k[t] != "a"]
    gone = {next(t for t in due if ended[t] == "complete"),
            next(t for t in due if ended[t] == "failed")}  # fmt: skip
    kept = [
        trial not in gone or name != "n"
        for trial, name in zip(
            rows["trial"].to_pylist(), rows["parameter"].to_pylist(), strict=True
        )
    ]
    for name, content in (("lacking_rows", rows.filter(kept)), ("lacking", measured(table))):
        duckdb_place.put(name, content)
    there = duckdb_place.connection.table
    counter = Counter(
        open_source(LongTable(there("lacking_rows"), there("lacking")), space=SPACE, **MEASURED)
    )
    counted = counter.count(Query(RANKING, np.array([0.0]), ("n",)))
    assert counted.notes == (
        "n: missing in 1 finished trials whose conditions say that it is active; taken as "
        "inactive there.",
    )


def _long(place: Place, rows: dict[str, Any], trials: dict[str, Any] | None = None) -> LongTable:
    """Put a long table of plain columns into a place."""
    names = fresh_name(), fresh_name()
    place.put(names[0], pa.table(rows))
    if trials is None:
        return LongTable(place.connection.table(names[0]))
    place.put(names[1], pa.table(trials))
    return LongTable(*map(place.connection.table, names))


_UNIT = Space({"x": {"type": "float", "low": 0, "high": 1}})


@pytest.mark.parametrize("column", ["loss", "ended", "g", "time"])
def test_rows_of_a_trial_that_differ_by_nothing_are_refused(
    duckdb_place: Place, column: str
) -> None:
    """Nothing beside something is a difference like any other."""
    rows: dict[str, Any] = {
        "trial": [0, 0, 1],
        "parameter": ["x", "y", "x"],
        "value": [0.1, 0.2, 0.3],
        "loss": [1.0, 1.0, 2.0],
        "ended": ["complete"] * 3,
        "g": [-1.0, -1.0, -1.0],
        "time": [0, 0, 1],
    }
    rows[column][1] = None
    source = open_source(_long(duckdb_place, rows), space=_UNIT, order="time", **MEASURED)
    with pytest.raises(DataError, match="rows of trial 0 differ in one of"):
        Counter(source).tally(RANKING)


def test_trials_of_another_type_are_refused(duckdb_place: Place) -> None:
    """Numbers do not find texts; the width of numbers does not matter."""
    rows = {"trial": [0], "parameter": ["x"], "value": [0.5]}
    asked: Any = {"objective": "loss", "space": _UNIT}
    with pytest.raises(DataError, match="'trial' holds int64 in the rows and string in the trials"):
        open_source(_long(duckdb_place, rows, {"trial": ["0"], "loss": [1.0]}), **asked)
    narrow = {"trial": pa.array([0], pa.int32()), "loss": [1.0]}
    found = Counter(open_source(_long(duckdb_place, rows, narrow), **asked)).tally(RANKING)
    assert (found.counts.total, found.notes) == (1, ())


@pytest.mark.parametrize("apart", [True, False])
def test_rows_that_count_nowhere_are_told(duckdb_place: Place, apart: bool) -> None:
    """Each one under the first reason: no trial, an unknown trial, an unknown parameter."""
    rows: dict[str, Any] = {
        "trial": [0, 1, None, None, 7, 1, 0],
        "parameter": ["x", "x", "x", "x", "x", "tag", None],
        "value": [0.1, 0.9, 0.5, 0.6, 0.5, 0.5, 0.5],
    }
    trials = {"trial": [0, 1], "loss": [1.0, 2.0]}
    if not apart:
        rows["loss"] = [1.0, 2.0, 3.0, 3.0, 3.0, 2.0, 1.0]
    source = _long(duckdb_place, rows, trials if apart else None)
    counter = Counter(open_source(source, objective="loss", space=_UNIT))
    found = counter.tally(RANKING)
    unknown = ("1 row whose trial is not in the table of trials was left out.",)
    assert found.notes == (
        "2 rows without a trial were left out.",
        *(unknown if apart else ()),
        "2 rows whose parameter is not in the space were left out.",
    )
    assert found.counts.total == (2 if apart else 3)
    counted = counter.count(Query(RANKING, np.zeros(0), ("x",)))
    assert counted.parameters[0].sum() == found.counts.total
    assert counted.parameters[0][:, :, -1].sum() == 0
