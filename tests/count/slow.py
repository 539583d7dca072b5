"""What is counted, by the definitions: one trial after the other, in plain Python.

Independent of the counter: nothing here knows of batches, keys, bins or groups.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from condped.space.domain import Categorical, Domain, Int
from condped.trials.table import Parameter, State, TrialTable
from condped.trials.used_trials import Handling

MOST_CELLS = 50


@dataclass(frozen=True)
class SlowSets:
    """Levels of the used trials, and which trials each set holds; the region set is the last."""

    levels: dict[int, float]
    members: list[list[int]]


def levels_of(table: TrialTable, handling: Handling) -> dict[int, float]:
    """Return the loss of each trial that is used, infinite for those that count as worst."""
    (objective,) = table.objectives
    infeasible = [False] * len(table) if table.infeasible is None else table.infeasible.tolist()
    levels = {}
    for row, (state, value) in enumerate(zip(table.states, objective.values, strict=True)):
        treatment = "keep"
        if state == State.RUNNING:
            treatment = "drop"
        elif state == State.FAILED:
            treatment = handling.failed
        elif state == State.PRUNED and handling.pruned != "keep":
            treatment = handling.pruned
        elif not math.isfinite(value):
            treatment = handling.nonfinite
        elif infeasible[row]:
            treatment = handling.infeasible
        if treatment != "drop":
            loss = -value if objective.direction == "maximize" else value
            levels[row] = math.inf if treatment == "worst" else float(loss)
    return levels


def sets_of(
    table: TrialTable, target_quantiles: Sequence[float], region_quantile: float, handling: Handling
) -> SlowSets:
    """Return the target sets and, last, the region set."""
    levels = levels_of(table, handling)
    ordered = sorted(levels.values())
    members = []
    for quantile in (*target_quantiles, region_quantile):
        size = math.ceil(quantile * len(ordered))
        members.append([row for row, level in levels.items() if level <= ordered[size - 1]])
    return SlowSets(levels, members)


def grid_cell(value: float, domain: Domain) -> int:
    """Return the cell of a value on the grid of its domain."""
    if isinstance(domain, Categorical):
        return int(value)
    cells = grid_size(domain)
    if cells == 1:
        return 0
    low, high = domain.low, domain.high
    if domain.log:
        value, low, high = math.log(value), math.log(low), math.log(high)
    place = math.ceil((value - low) / ((high - low) / (cells - 1)) - 0.5)
    return min(max(place, 0), cells - 1)


def grid_size(domain: Domain | None) -> int:
    """Return how many cells the grid of a domain has."""
    if domain is None:
        return 1
    if isinstance(domain, Categorical):
        return len(domain.choices)
    if isinstance(domain, Int) and domain.log:
        return min(math.ceil(math.log2(domain.high - domain.low + 1)) + 1, MOST_CELLS)
    if domain.step is not None:
        return min(round((domain.high - domain.low) / domain.step) + 1, MOST_CELLS)
    return MOST_CELLS


def rank_cells(values: Sequence[float]) -> list[int]:
    """Return the cell of each value by rank: ties together, each number alone if there are few."""
    levels = sorted(set(values))
    if len(levels) <= MOST_CELLS:
        return [levels.index(value) for value in values]
    counts, below, cells = Counter(values), 0, {}
    for level in levels:
        # The share of the trials below its middle rank, in whole numbers.
        cells[level] = MOST_CELLS * (2 * below + counts[level]) // (2 * len(values))
        below += counts[level]
    return [cells[value] for value in values]


def regimes_of(parameter: Parameter) -> list[tuple[Domain | None, list[int]]]:
    """Return the regimes with the rows of each, absence last."""
    ids = parameter.domain_ids.tolist()
    places = [*range(len(parameter.domains)), -1]
    domains: list[Domain | None] = [*parameter.domains, None]
    return [
        (domain, [row for row, own in enumerate(ids) if own == place])
        for domain, place in zip(domains, places, strict=True)
    ]


def grid_counts(parameter: Parameter, sets: SlowSets) -> dict[Domain | None, list[list[int]]]:
    """Return for each regime (sets, cells): the trials of each set, the region set last."""
    values = parameter.values.tolist()
    found: dict[Domain | None, list[list[int]]] = {}
    for domain, rows in regimes_of(parameter):
        cells = {row: 0 if domain is None else grid_cell(values[row], domain) for row in rows}
        found[domain] = []
        for members in sets.members:
            counts = Counter(cells[row] for row in members if row in cells)
            found[domain].append([counts[cell] for cell in range(grid_size(domain))])
    return found


def rank_counts(
    parameter: Parameter, sets: SlowSets, order: Sequence[int], blocks: int
) -> dict[Domain | None, list[list[list[int]]]]:
    """Return for each regime (sets, blocks, cells) by rank; none where the region set has none."""
    values, region = parameter.values.tolist(), sorted(sets.members[-1], key=lambda r: order[r])
    block = {row: place * blocks // len(region) for place, row in enumerate(region)}
    found: dict[Domain | None, list[list[list[int]]]] = {}
    for domain, all_rows in regimes_of(parameter):
        rows = [row for row in all_rows if row in block]
        if not rows:
            continue
        if domain is None or domain.single:
            cells, size = dict.fromkeys(rows, 0), 1
        elif isinstance(domain, Categorical):
            cells, size = {row: int(values[row]) for row in rows}, len(domain.choices)
        else:
            cells = dict(zip(rows, rank_cells([values[row] for row in rows]), strict=True))
            size = max(cells.values()) + 1
        found[domain] = []
        for members in sets.members:
            counts = Counter((block[row], cells[row]) for row in members if row in cells)
            found[domain].append(
                [[counts[b, c] for c in range(size)] for b in range(blocks)],
            )
    return found
