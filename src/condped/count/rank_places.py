"""Counting on cells whose edges are given, for chunks of trials."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from condped.arrays import IdArray, IntArray, ValueArray
from condped.space.domain import Categorical
from condped.trials.table import Parameter


def rank_place_counts(
    parameter: Parameter,
    buckets: IdArray,
    n_buckets: int,
    edges: Mapping[tuple[int, int], ValueArray],
    place: int,
) -> IntArray:
    """Return (places, buckets): trials in each cell of all domains and, last, absent.

    ``place`` is the parameter's among all, by which its edges are found. Trials without a place in
    the counts have the bucket ``n_buckets``.
    """
    sizes = [
        len(domain.choices)
        if isinstance(domain, Categorical)
        else len(edges.get((place, number), ())) + 1
        for number, domain in enumerate(parameter.domains)
    ]
    starts = np.cumsum([0, *sizes])
    places = np.full(len(parameter.values), starts[-1], dtype=np.int64)
    for number, domain in enumerate(parameter.domains):
        rows = np.flatnonzero(parameter.domain_ids == number)
        values = parameter.values[rows]
        if isinstance(domain, Categorical):
            cells = values.astype(np.int64)
        else:
            cells = np.searchsorted(edges.get((place, number), np.zeros(0)), values)
        places[rows] = starts[number] + cells
    total = int(starts[-1]) + 1
    flat = np.bincount(places * (n_buckets + 1) + buckets, minlength=total * (n_buckets + 1))
    return flat.reshape(total, n_buckets + 1)[:, :-1]
