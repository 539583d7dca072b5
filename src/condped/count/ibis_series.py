"""Numbers between given numbers: histograms of several series, and the numbers themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import ibis
import ibis.expr.types as ir
import numpy as np

from condped.arrays import BoolArray, IntArray
from condped.count.ibis_session import Session
from condped.count.ibis_trees import any_of, choose, code, stepwise
from condped.count.keys import KeyBins, keys_of, values_of
from condped.count.passes import Levels, Series, TooManyLevels

Numbered = Mapping[Series, tuple[ir.Value, ir.BooleanValue | None]]
_NO_BIN = -1


def histogram_counts(
    session: Session,
    table: ir.Table,
    wanted: Mapping[Series, Sequence[KeyBins]],
    series: Numbered,
    *,
    group: ir.Value | None,
    groups: int,
    apart: bool = False,
) -> dict[Series, list[IntArray]]:
    """Return (groups, bins) for each of a series' bins, in one query.

    ``apart``: no row has a number of two series.
    """
    codes, starts, start = [], [], 0
    for one, bins in wanted.items():
        places = [start + k for k in range(sum(b.bins for b in bins))]
        starts.append(start)
        start += len(places)
        value, rows = series[one]
        found = _placed(value, bins, places)
        codes.append(found if rows is None else choose(rows, found, code(_NO_BIN)))
    counts = np.zeros((groups, start + 1), dtype=np.int64)
    if apart:
        branches = [(rows, codes[k]) for k, (_, rows) in enumerate(series.values())]
        codes = [ibis.cases(*branches, else_=code(_NO_BIN))]
    for query in _queries(session, table, codes, group):
        for row in session.rows(query, "looking for cut-offs"):
            counts[row.get("dealt", 0), row["code"]] += row["n"]
    result: dict[Series, list[IntArray]] = {}
    for (one, bins), first in zip(wanted.items(), starts, strict=True):
        cuts = np.cumsum([first, *(b.bins for b in bins)])
        result[one] = [counts[:, a:b] for a, b in pairwise(cuts)]
    return result


def _queries(
    session: Session, table: ir.Table, codes: Sequence[ir.Value], group: ir.Value | None
) -> list[ir.Table]:
    dealt = {} if group is None else {"dealt": group}
    if session.unnests and len(codes) > 1:
        bases = [table.select(code=ibis.array(list(codes)).unnest(), **dealt)]
    else:
        bases = [table.select(code=one, **dealt) for one in codes]
    return [base.group_by(["code", *dealt]).agg(n=base.count()) for base in bases]


def _placed(value: ir.Value, bins: Sequence[KeyBins], places: Sequence[int]) -> ir.Value:
    """Return ``places`` of the bin that a value is in, counted through all bins; or _NO_BIN."""
    ascending = sorted(range(len(bins)), key=lambda place: bins[place].start)
    firsts = np.cumsum([0, *(one.bins for one in bins)]).tolist()
    edges: list[float] = []
    leaves: list[Any] = []
    reached: int | None = None  # the highest key so far
    for place in ascending:
        one = bins[place]
        if one.start != (reached if reached is None else reached + 1):
            _add(edges, leaves, one.start - 1, code(_NO_BIN), one.whole)
        for number in range(one.bins):
            top = min(one.start + ((number + 1) << one.shift) - 1, one.stop)
            _add(edges, leaves, top, code(places[firsts[place] + number]), one.whole)
        reached = one.stop
    return stepwise(value, edges, [*leaves, code(_NO_BIN)])


def _add(edges: list[float], leaves: list[Any], key: int, leaf: Any, whole: bool) -> None:
    """Add a leaf that ends at a key; keys beyond the infinities are at them."""
    if key < -(1 << 63):
        return
    if whole:
        edges.append(key)
    else:
        low, high = (int(keys_of(np.array([x]))[0]) for x in (-np.inf, np.inf))
        if key < low:
            return
        key = -2 if key == -1 else key  # -1 stands for -0.0, which is no other number than 0.0
        edges.append(float(values_of(np.array([min(key, high)]), whole=False)[0]))
    leaves.append(leaf)


def fetched_levels(
    session: Session,
    table: ir.Table,
    wanted: Mapping[Series, Sequence[tuple[KeyBins, BoolArray]]],
    series: Numbered,
    *,
    group: ir.Value | None,
    most: int,
    apart: bool = False,
) -> dict[Series, Levels]:
    """Return the numbers in marked bins, those of one type in one query.

    ``apart``: no row has a number of two series.
    """
    result: dict[Series, Levels] = {}
    for kind in (True, False):
        some = [one for one, entries in wanted.items() if entries[0][0].whole is kind]
        if some:
            bases = _numbered(
                session, table, some, wanted, series, kind=kind, apart=apart, group=group
            )
            result |= _fetched(session, some, bases, whole=kind, most=most)
    return {one: result[one] for one in wanted}


def _numbered(
    session: Session,
    table: ir.Table,
    some: Sequence[Series],
    wanted: Mapping[Series, Sequence[tuple[KeyBins, BoolArray]]],
    series: Numbered,
    *,
    kind: bool,
    apart: bool,
    group: ir.Value | None,
) -> list[ir.Table]:
    """Return tables with the columns series (its place among some), value and perhaps dealt."""
    dtype = "int64" if kind else "float64"
    values = [series[one][0].cast(dtype) for one in some]
    marked = [_marked(series[one], wanted[one]) for one in some]
    dealt = {} if group is None else {"dealt": group}
    places = range(len(some))
    if apart:
        which = ibis.cases(*((marked[k], code(k)) for k in places), else_=code(_NO_BIN))
        value = ibis.cases(*((marked[k], values[k]) for k in places), else_=ibis.null(dtype))
        base = table.select(series=which, value=value, **dealt)
        return [base.filter(base.series != code(_NO_BIN))]
    if not session.unnests or len(some) == 1:
        return [
            table.filter(marked[k]).select(series=code(k), value=values[k], **dealt) for k in places
        ]
    # Each row once per series, of which it then shows the number that belongs there.
    columns = {f"v{k}": choose(marked[k], values[k], ibis.null(dtype)) for k in places}
    numbers = ibis.array([code(k) for k in places]).unnest()
    spread = table.filter(any_of(marked)).select(series=numbers, **columns, **dealt)
    shown = ibis.cases(
        *((spread.series == code(k), spread[f"v{k}"]) for k in places),
        else_=ibis.null(dtype),
    )
    base = spread.select(series=spread.series, value=shown, **{n: spread[n] for n in dealt})
    return [base.filter(base.value.notnull())]


def _fetched(
    session: Session, some: Sequence[Series], bases: Sequence[ir.Table], *, whole: bool, most: int
) -> dict[Series, Levels]:
    """Return the numbers; raises TooManyLevels where a series has more than ``most`` entries."""
    rows: dict[int, list[dict[str, Any]]] = {place: [] for place in range(len(some))}
    for base in bases:
        query = base.group_by(list(base.columns)).agg(n=base.count())
        for row in session.rows(query.limit(len(some) * most + 1), "looking for cut-offs"):
            rows[row["series"]].append(row)
    if any(len(entries) > most for entries in rows.values()):
        raise TooManyLevels
    return {one: _gathered(rows[place], whole=whole) for place, one in enumerate(some)}


def _marked(
    numbered: tuple[ir.Value, ir.BooleanValue | None],
    entries: Sequence[tuple[KeyBins, BoolArray]],
) -> ir.BooleanValue:
    value, rows = numbered
    places = [int(mark) for _, marks in entries for mark in marks]
    found = _placed(value, [bins for bins, _ in entries], places) == code(1)
    return found if rows is None else rows & found


def _gathered(rows: Sequence[Mapping[str, Any]], *, whole: bool) -> Levels:
    """Return the numbers in order; an engine may tell -0.0 from 0.0, which are one number."""
    counts: dict[tuple[float, int], int] = {}
    for row in rows:
        entry = (row["value"], int(row.get("dealt", 0)))
        counts[entry] = counts.get(entry, 0) + int(row["n"])
    ordered = sorted(counts)
    values = np.array([v for v, _ in ordered], dtype=np.int64 if whole else np.float64)
    groups = np.array([g for _, g in ordered], dtype=np.int64)
    return Levels(
        values if whole else values + 0.0,
        groups,
        np.array([counts[entry] for entry in ordered], dtype=np.int64),
    )
