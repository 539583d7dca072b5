"""Cases about structure: conditions, domain switches, choices, names, and how trials ended."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from condped.space.domain import Categorical, Float, Int
from condped.space.space import when
from condped.trials.used_trials import Handling
from tests.contracts.case import LOSS, Case, wide

_TEXTS = (
    "it's", 'say "so"', "back\\slash", "back`tick", "semi;colon -- comment", "/* c */", "new\nline",
    "tab\there", "ünïcödé", "日本語", "🙂", "", " ", " padded ", "NULL", "null", "None", "nan",
    "true", "1", "1.0", "%", "_", "{}", ":name", "$1", "?", "\\'", "''", "A", "a", "é", "e\u0301",
    "${x}", "${spark.app.name}", "${env:HOME}", "${hiveconf:x}", "%(x)s", "{{x}}",
)  # fmt: skip


def conditional() -> Case:
    """Nested conditions, domains that switch, regimes of one trial and of none."""
    rng = np.random.default_rng(11)
    rows = 240
    kind = rng.choice(["svm", "tree", "net"], size=rows)
    c, n = rng.uniform(size=rows), rng.integers(1, 9, size=rows)
    late = np.where(kind == "net", rng.integers(0, 4, size=rows), -1)
    low, high = np.round(rng.uniform(size=rows), 1), np.round(rng.uniform(size=rows), 1)
    low = np.where(rng.uniform(size=rows) < 0.1, np.nan, low)
    columns = {
        "kind": pa.array(kind),
        "c": pa.array(c),
        "n": pa.array(n),
        "low": pa.array(low, from_pandas=True),
        "high": pa.array(high),
        "depth": _where(kind == "tree", rng.integers(1, 30, size=rows)),
        "layers": _where(late >= 0, late),
        "width": _where(late >= 2, rng.integers(1, 512, size=rows)),
        "drop": _where(late >= 3, np.round(rng.uniform(size=rows), 2)),
        "switched": pa.array(np.where(c < 0.5, rng.uniform(-7, -2, rows), rng.uniform(2, 3, rows))),
        "overlap": pa.array(
            np.where(c <= 0.25, rng.uniform(0, 1, rows), rng.uniform(0.5, 2, rows))
        ),
        "counted": pa.array(np.where(n > 4, rng.integers(1, 9, rows), rng.integers(5, 90, rows))),
        "said": pa.array(
            np.where(kind == "svm", rng.choice(["a", "b"], rows), rng.choice(["b", "c"], rows))
        ),
        "ordered": _where(~np.isnan(low) & (low < high), rng.uniform(size=rows)),
        "otherwise": _where(~(~np.isnan(low) & (low < high)), rng.uniform(size=rows)),
        "never": pa.nulls(rows, pa.float64()),
        "once": _where(np.arange(rows) == 17, rng.uniform(size=rows)),
        "only": pa.array((np.arange(rows) == 17).tolist()),
        "lacking": _where(rng.uniform(size=rows) < 0.7, rng.uniform(size=rows)),
    }
    # In their own order here: what is active depends on the other columns of the row.
    arrays = {**columns, LOSS: np.round(rng.normal(size=rows), 2), "order": rng.permutation(rows)}
    space = {
        "kind": Categorical(["svm", "tree", "net"]),
        "c": Float(0, 1),
        "n": Int(1, 8),
        "low": Float(0, 1),
        "high": Float(0, 1),
        "depth": [when("kind == 'tree'", Int(1, 32, log=True))],
        "layers": [when("not (kind == 'svm' or kind in ['tree'])", Int(0, 3))],
        "width": [when("kind == 'net' and layers >= 2", Int(1, 512, log=True))],
        "drop": [when("2 < layers", Float(0, 1))],
        "switched": [when("c < 0.5", Float(-7, -2)), when("c >= 0.5", Float(2, 3))],
        "overlap": [when("not c > 0.25", Float(0, 1)), when("c > 0.25", Float(0.5, 2))],
        "counted": [when("n > 4", Int(1, 8)), when("n <= 4", Int(5, 90, log=True))],
        "said": [
            when("kind == 'svm'", Categorical(["b", "a"])),
            when("kind != 'svm'", Categorical(["c", "b"])),
        ],
        "ordered": [when("low < high", Float(0, 1))],
        "otherwise": [when("not low < high", Float(0, 1))],
        "never": [when("c > 2", Float(0, 1))],
        "once": [when("only == true", Float(0, 1))],
        "only": Categorical([True, False]),
        # Some trials lack it although it is active: taken as absent, and noted.
        "lacking": [when("c >= 0", Float(0, 1))],
    }
    return Case(
        "conditional",
        pa.table(arrays),
        space,
        region=0.7,
        conditions=(
            "kind == 'net' and (layers > 1 or width < 100)",
            "not width < 100",
            "said == 'b' and counted in [5, 6, 7]",
            "depth not in [1, 2]",
            "switched < 0 and not said == 'c'",
            "low < high and high < c",
            "once > 5",
            "0.2 < c <= 0.7",
        ),
        notes=("lacking",),
        csv=False,  # a column of nulls has no type there
    )


def _where(rows: np.ndarray, values: np.ndarray) -> pa.Array:
    return pa.array(values, mask=~rows)


def choices() -> Case:
    """Texts that would mean something else in SQL; None, booleans and numbers as choices."""
    columns = {
        "text": pa.array([*_TEXTS, None]),
        "or_none": pa.array(["a", "b", None]),
        "none_when": pa.array(["a", None]),
        "flag": pa.array([True, False, None]),
        "flag_or_none": pa.array([True, False, None]),
        "whole": pa.array([1, 2, 4, 2**53 + 1, -(2**63)], pa.int64()),
        "number": pa.array([0.1, 0.30000000000000004, 0.3, -0.0, 1e308, None]),
        "single": pa.array([0.5, 0.25, None], pa.float32()),
        "one": pa.array(["only"]),
        "unseen": pa.array(["b"]),
        "flag_as_number": pa.array([True, False]),
        "number_as_flag": pa.array([0, 1, None], pa.int64()),
    }
    space = {
        "text": Categorical(_TEXTS),
        "or_none": Categorical(["b", None, "a"]),
        "none_when": [when("flag == true", Categorical([None, "a"]))],
        "flag": Categorical([False, True]),
        "flag_or_none": Categorical([None, True, False]),
        "whole": Categorical([4, 2, 1, 2**53 + 1, -(2**63)]),
        "number": Categorical([0.3, 0.1, 0.30000000000000004, 0.0, 1e308]),
        "single": Categorical([0.25, 0.5]),
        "one": Categorical(["only"]),
        "unseen": Categorical(["a", "b", "c"]),
        "flag_as_number": Categorical([0, 1]),
        "number_as_flag": Categorical([True, False]),
    }
    table = wide(12, columns)
    # Where the flag is not set the parameter is absent, and so is its value.
    kept = table["flag"].combine_chunks().fill_null(False)
    none_when = pa.compute.if_else(kept, table["none_when"], None)
    place = table.column_names.index("none_when")
    table = table.set_column(place, "none_when", none_when)
    return Case(
        "choices",
        table,
        space,
        conditions=(
            "text == 'it\\'s' or text == 'back\\\\slash'",
            'text in ["日本語", "", "say \\"so\\""]',
            "text != 'a'",
            "not text == 'A'",
            "or_none == none",
            "or_none != none",
            "flag == true and flag_or_none == false",
            "flag_or_none in [none, true]",
            "whole == 9007199254740993",
            "whole > 2",
            "number < 0.30000000000000004",
            "number == 0",
            "single >= 0.5",
        ),
        csv=False,
    )


_NAMES = (
    'quo"te', "it's", "back`tick", "back\\slash", "semi;colon", "dash -- dash", "/* c */",
    "new\nline", "tab\there", "ünï", "日本", "🙂", " padded ", "with space", "a.b", "a/b", "a(b)",
    "count", "bucket", "n", "value", "values", "cell", "group", "block", "place", "parameter",
    "row_number", "index", "level", "key", "t0", "select", "from", "where", "order by", "table",
    "user", "null", "true", "case", "100%", "%s", "{x}", ":x", "$1", "?", "1st", "_", "*", "[0]",
    "x\"; DROP TABLE trials; --", "x'); --", "${x}", "${spark.app.name}", "@x", "#x",
    "~", "CamelCase",
)  # fmt: skip


def names() -> Case:
    """Columns whose names would mean something else in SQL, or that an engine may use itself."""
    columns = {name: np.arange(5) for name in (*_NAMES, "rows")}
    columns["rows"] = np.arange(45)
    table = wide(13, columns)
    # The objective, the states and the order have such names, too.
    renamed = {LOSS: "lo\"ss`';--", "order": 'or"der\n'}
    table = table.rename_columns([renamed.get(name, name) for name in table.column_names])
    states = pa.array((["complete", "PRUNED", "TrialState.FAIL"] * 15)[:45])
    violations = pa.array(np.linspace(-1, 0.5, 45))
    table = table.append_column('st`at"e', states).append_column("con;straint", violations)
    space: dict[str, object] = dict.fromkeys(_NAMES, Int(0, 4))
    gated = "ga\"ted` when '"
    values = pa.compute.if_else(pa.compute.less(table['quo"te'], 2), 3, None)
    table = table.append_column(gated, values)
    space[gated] = [when('`quo"te` < 2', Int(0, 4))]
    return Case(
        "names",
        table,
        space,
        objective=renamed[LOSS],
        order=renamed["order"],
        state='st`at"e',
        constraints=("con;straint",),
        handlings=(Handling(infeasible="drop"),),
        quantiles=(0.2,),
        conditions=("`back``tick` < `x'); --`", "`new\nline` > 1 and not `🙂` > 1"),
        groups=1,
        blocks=2,
        series=8,
        csv=False,
    )


def alike() -> Case:
    """Names that differ in case only."""
    table = wide(14, {"x": np.linspace(0, 1, 30), "X": np.linspace(0, 2, 30)})
    return Case("alike", table, {"x": Float(0, 1), "X": Float(0, 2)})


def ended() -> Case:
    """All the ways in which a trial can end, and what can be done about each."""
    rng = np.random.default_rng(15)
    rows = 300
    states = ["complete", "Pruned", "FAILED", "running", "TrialState.COMPLETE", None]
    losses = np.round(rng.normal(size=rows), 1)
    odd = rng.choice([np.nan, np.inf, -np.inf, 2147483647.0, -1.5], size=rows)
    losses = np.where(rng.uniform(size=rows) < 0.3, odd, losses)
    table = pa.table(
        {
            "x": rng.uniform(size=rows),
            "k": pa.array(rng.choice(["a", "b"], size=rows)),
            "ended": pa.array(
                [states[i] for i in rng.choice(6, rows, p=[0.4, 0.2, 0.1, 0.05, 0.2, 0.05])]
            ),
            "g": pa.array(np.round(rng.normal(-1, 1, rows), 1), mask=rng.uniform(size=rows) < 0.1),
            "h": pa.array(rng.choice([-1.0, 0.0, 5e-324, np.nan], rows), from_pandas=False),
            LOSS: losses,
            "order": rng.permutation(rows) * np.int64(2**53 // 300),
        }
    )
    return Case(
        "ended",
        table,
        {"x": Float(0, 1), "k": Categorical(["a", "b"])},
        state="ended",
        constraints=("g", "h"),
        failure_values=(2147483647.0, -1.5),
        region=0.9,
        handlings=(
            Handling(failed="worst", pruned="worst", nonfinite="worst", infeasible="worst"),
            Handling(),
            Handling(pruned="keep", infeasible="drop"),
            Handling(failed="worst", pruned="keep", nonfinite="worst", infeasible="drop"),
            Handling(nonfinite="worst", infeasible="worst"),
        ),
        quantiles=(0.1, 0.4, 0.6, 0.8),
        conditions=("k == 'a'", "x < 0.5 or k == 'b'"),
        notes=("2.14748e+09",),
    )


def none_used() -> Case:
    """No trial can be used at all."""
    table = wide(16, {"x": np.linspace(0, 1, 6)}, [float("nan"), None])
    return Case("none_used", table, {"x": Float(0, 1)}, conditions=("x < 0.5",))


CASES = (conditional, choices, names, ended, none_used)
