"""Effects against the truth: the coverage of intervals of medians.

``python -m benchmarks.effects --output benchmarks/effects.json`` takes about ten minutes. The truth
of a range of values is the median of a million random trials that lie in it. Bins do not depend on
the objective; good values, and so what lies inside and outside, were chosen by the same trials.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import optuna

import condped
from benchmarks.exact_problems import FAMILIES

TRIALS = 1_000_000  # of the truth
SIZES = (50, 200, 1000)
TPE_SIZE = 150
_ENOUGH = 15  # contrasts of a problem and size
Row = dict[str, Any]
Array = Any


@dataclass(frozen=True)
class Truth:
    """Many random trials of a problem."""

    table: condped.TrialTable

    @cached_property
    def _loss(self) -> Array:
        return self.table.objectives[0].values

    @cached_property
    def _sorted(self) -> dict[tuple[str, int], tuple[Array, Array]]:
        """Values and losses of each regime, in the order of the values."""
        found = {}
        for parameter in self.table.parameters:
            for place in range(len(parameter.domains)):
                rows = np.flatnonzero(np.asarray(parameter.domain_ids) == place)
                rows = rows[np.argsort(parameter.values[rows], kind="stable")]
                found[parameter.name, place] = parameter.values[rows], self._loss[rows]
        return found

    def median(self, name: str, domain: Any, group: Any) -> float:
        """Return the median of the trials of a regime in one bin."""
        values, losses = self._regime(name, domain)
        return float(np.median(losses[_between(values, group)]))

    def medians(self, name: str, domain: Any, spans: Iterable[Any]) -> tuple[float, float]:
        """Return the median of the trials of a regime with these values, and of its others."""
        values, losses = self._regime(name, domain)
        inside = np.zeros(len(values), dtype=bool)
        for span in spans:
            inside[_between(values, span)] = True
        return float(np.median(losses[inside])), float(np.median(losses[~inside]))

    def _regime(self, name: str, domain: Any) -> tuple[Array, Array]:
        parameter = next(one for one in self.table.parameters if one.name == name)
        return self._sorted[name, parameter.domains.index(domain)]


def _between(values: Array, span: Any) -> slice:
    """Return where sorted values lie in a bin or a span: a range, or one choice."""
    low, high = (span.choice, span.choice) if span.low is None else (span.low, span.high)
    return slice(np.searchsorted(values, low), np.searchsorted(values, high, side="right"))


def problems() -> Iterator[Any]:
    """Yield the paper's problems and nine families, all minimised."""
    yield from map(condped.problems.get, condped.problems.names())
    yield from FAMILIES


def measured(truth: Truth, effects: condped.Effects, found: dict[str, list[float]]) -> None:
    """Add to ``found`` whether intervals hold the truth, and by how much contrasts differ."""
    for parameter in effects:
        for regime in parameter.regimes:
            if regime.domain is None or regime.domain.single:
                continue
            for group in regime.bins:
                if group.reached[0].median_low is not None:
                    median = truth.median(parameter.name, regime.domain, group)
                    _compare("bins", group.reached[0], median, found)
            contrast = regime.contrast
            if contrast is None:
                continue
            inside, outside = truth.medians(parameter.name, regime.domain, contrast.spans)
            one, other = contrast.inside.reached[0], contrast.outside.reached[0]
            if one.median_low is None or other.median_low is None:
                continue
            _compare(f"{contrast.chosen} inside", one, inside, found)
            _compare(f"{contrast.chosen} outside", other, outside, found)
            if outside > inside and one.median is not None and other.median is not None:
                ratio = (other.median - one.median) / (outside - inside)
                found[f"{contrast.chosen} ratio"].append(ratio)


def _compare(kind: str, reached: Any, truth: float, found: dict[str, list[float]]) -> None:
    found[f"{kind} held"].append(reached.median_low <= truth <= reached.median_high)
    found[f"{kind} too good"].append(reached.median_high < truth)


def row_of(problem: str, trials: int, sampler: str, found: dict[str, list[float]]) -> Row:
    """Return shares, medians of ratios, and how many each comes from."""
    row: Row = {"problem": problem, "trials": trials, "sampler": sampler}
    for name, values in sorted(found.items()):
        middle = np.median(values) if name.endswith("ratio") else np.mean(values)
        row[name] = round(float(middle), 4)
        row[f"{name} count"] = len(values)
    return row


def random_rows(seeds: int) -> Iterator[Row]:
    """Measure studies of random draws, of each problem and size."""
    for problem in problems():
        truth = Truth(problem.sample(TRIALS, seed=10**6))
        for trials in SIZES:
            found: dict[str, list[float]] = defaultdict(list)
            for seed in range(seeds):
                table = problem.sample(trials, seed=seed)
                measured(truth, condped.effects(table, sampling="random"), found)
            yield row_of(problem.name, trials, "random", found)


def tpe_rows(seeds: int) -> Iterator[Row]:
    """Measure studies of Optuna's TPE, of the paper's problems."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    for name in condped.problems.names():
        problem = condped.problems.get(name)
        truth = Truth(problem.sample(TRIALS, seed=10**6))
        found: dict[str, list[float]] = defaultdict(list)
        for seed in range(seeds):
            study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
            study.optimize(problem.objective, n_trials=TPE_SIZE)
            measured(truth, condped.effects(study), found)
        yield row_of(name, TPE_SIZE, "tpe", found)


def table(rows: Iterable[Row]) -> list[str]:
    """Return the lines of docs/trust/effects.md: shares of all problems, and the lowest of any.

    A problem counts for the lowest share and for ratios if it has at least 15 contrasts.
    """
    lines = [
        "| sampler, trials | bins | inside | outside | difference, estimate ÷ truth |",
        "| --- | --- | --- | --- | --- |",
    ]
    grouped: dict[tuple[str, int], list[Row]] = defaultdict(list)
    for row in rows:
        grouped[row["sampler"], row["trials"]].append(row)
    for (sampler, trials), own in grouped.items():
        shares = [_share(own, kind) for kind in ("bins", "good inside", "good outside")]
        ratios = [r["good ratio"] for r in own if r.get("good ratio count", 0) >= _ENOUGH]
        spread = f"{np.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
        lines.append(f"| {sampler}, {trials:,} | {' | '.join(shares)} | {spread} |")
    return lines


def _share(rows: list[Row], kind: str) -> str:
    counts = [row.get(f"{kind} held count", 0) for row in rows]
    held = [row.get(f"{kind} held", 0.0) for row in rows]
    lowest = min(h for h, count in zip(held, counts, strict=True) if count >= _ENOUGH)
    return f"{np.average(held, weights=counts):.2f} ({lowest:.2f})"


def main() -> None:
    """Measure all and write it."""
    parser = argparse.ArgumentParser(description="Effects against the truth.")
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--tpe-seeds", type=int, default=15)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    rows = []
    for measure, seeds in ((random_rows, options.seeds), (tpe_rows, options.tpe_seeds)):
        for row in measure(seeds):
            print(json.dumps(row), flush=True)
            rows.append(row)
    if options.output:
        made = {"level": 0.9, "seeds": options.seeds, "tpe_seeds": options.tpe_seeds, "rows": rows}
        options.output.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
