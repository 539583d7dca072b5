"""Random spaces and tables whose values lie on the edges of cells and beside them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from condped.space.domain import Categorical, Domain, Float, Int
from condped.space.space import when
from condped.trials.used_trials import Handling
from tests.contracts.case import LOSS, ORDER, Case
from tests.contracts.numbers import on_edges

_LOSSES = [
    0.0,
    -0.0,
    0.1,
    0.2,
    0.30000000000000004,
    0.3,
    1e-320,
    -1.5,
    float("nan"),
    float("inf"),
    None,
]
_TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=4)


@st.composite
def floats(draw: st.DrawFn) -> Float:
    """Draw an interval, on either scale or with steps."""
    low = draw(st.floats(-1e6, 1e6, allow_subnormal=False))
    width = draw(st.floats(1e-6, 1e6))
    kind = draw(st.sampled_from(["plain", "log", "steps"]))
    if kind == "log":
        low = abs(low) + 1e-9
        return Float(low, low * (1 + width), log=True)
    if kind == "steps":
        step = draw(st.sampled_from([0.1, 0.25, 1.0, 3.0]))
        low = float(round(low))
        return Float(low, low + step * draw(st.integers(1, 120)), step=step)
    return Float(low, low + width)


@st.composite
def ints(draw: st.DrawFn) -> Int:
    """Draw a range of whole numbers, also of such that no float tells apart."""
    low = draw(st.one_of(st.integers(-1000, 1000), st.integers(-(2**62), 2**62)))
    if draw(st.booleans()):
        low = abs(low) % 10_000 + 1
        return Int(low, low + draw(st.integers(1, 5000)), log=True)
    step = draw(st.sampled_from([1, 1, 2, 7]))
    return Int(low, low + step * draw(st.integers(1, 10 ** draw(st.integers(0, 12)))), step=step)


def choices() -> st.SearchStrategy[Categorical]:
    """Draw a list of texts."""
    return st.lists(_TEXT, min_size=1, max_size=5, unique=True).map(Categorical)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Draw a space of up to four parameters, the later ones under conditions, and a table."""
    rows = draw(st.integers(1, 60))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    gate = draw(st.one_of(floats(), ints()))
    gates = on_edges(gate)
    columns = {"gate": rng.choice(gates, size=rows)}
    space: dict[str, Any] = {"gate": gate}
    # Written with all digits, or as a whole number.
    cut = rng.choice(gates).item()
    several: list[st.SearchStrategy[Domain]] = [floats(), ints(), choices()]
    kinds = st.sampled_from(several)
    for number in range(draw(st.integers(0, 3))):
        name = f"p{number}"
        kind = draw(kinds)
        below = columns["gate"] <= cut
        first = draw(kind)
        shape = draw(st.sampled_from(["always", "below", "switched"]))
        if shape == "always":
            space[name] = first
            columns[name] = _values(rng, first, rows)
            continue
        there = [(below, first, f"gate <= {cut!r}")]
        if shape == "switched":
            there.append((~below, draw(kind), f"not gate <= {cut!r}"))
        space[name] = [when(text, domain) for _, domain, text in there]
        merged: list[Any] = [None] * rows
        for where, domain, _ in there:
            drawn = _values(rng, domain, rows).tolist()
            merged = [d if w else m for d, w, m in zip(drawn, where, merged, strict=True)]
        columns[name] = _typed(merged, first)
    columns[LOSS] = pa.array([_LOSSES[k] for k in rng.integers(len(_LOSSES), size=rows)])
    columns[ORDER] = rng.choice(10**6, size=rows, replace=False)
    worst = draw(st.sampled_from([Handling(), Handling(nonfinite="worst")]))
    return Case(
        "drawn",
        pa.table({k: v if isinstance(v, pa.Array) else pa.array(v) for k, v in columns.items()}),
        space,
        handlings=(worst,),
        quantiles=tuple(sorted(draw(st.sets(st.sampled_from(_QUANTILES), min_size=1)))),
        region=draw(st.sampled_from([1.0, 0.9])),
        groups=draw(st.integers(1, 3)),
        seed=draw(st.integers(0, 2**40)),
        conditions=(f"gate < {cut!r}", f"not gate >= {cut!r}"),
    )


_QUANTILES = (0.01, 0.1, 0.3, 0.5, 0.7)


def _values(rng: np.random.Generator, domain: Domain, rows: int) -> pa.Array:
    if isinstance(domain, Categorical):
        return pa.array([domain.choices[k] for k in rng.integers(len(domain.choices), size=rows)])
    return pa.array(rng.choice(on_edges(domain), size=rows))


def _typed(values: list[Any], domain: Domain) -> pa.Array:
    if isinstance(domain, Categorical):
        return pa.array(values, pa.string())
    return pa.array(values, pa.int64() if isinstance(domain, Int) else pa.float64())
