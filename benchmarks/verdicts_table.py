"""Rows of verdicts as cells: shares with standard errors, clustered by study, and their tables."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

Row: TypeAlias = dict[str, Any]
Share: TypeAlias = tuple[float, float]  # what was counted, out of how many
Summary: TypeAlias = dict[str, Any]
HELD_OUT_FROM = 8  # the number of the first study of each objective that nothing was chosen on


def false_alarms(row: Row) -> Share:
    """Count dead parameters with p < .05."""
    found = [row["p_values"][name] for name in row["dead"] if name in row["p_values"]]
    return sum(p_value is not None and p_value < 0.05 for p_value in found), len(found)


def dead_matter(row: Row) -> Share:
    """Count dead parameters that are called "matters"."""
    return sum(row["verdicts"][name] == "matters" for name in row["dead"]), len(row["dead"])


def dead_not_testable(row: Row) -> Share:
    """Count dead parameters that are called "not testable"."""
    found = [row["verdicts"][name] for name in row["dead"]]
    return found.count("not testable"), len(found)


def deciding(row: Row) -> Share:
    """Count whether the deciding parameter is called "matters"."""
    return float(row["verdicts"].get(row["deciding"]) == "matters"), 1


def power(row: Row) -> Share:
    """Count real parameters that are called "matters"."""
    real = [verdict for name, verdict in row["verdicts"].items() if name not in row["dead"]]
    return sum(verdict == "matters" for verdict in real), len(real)


def no_evidence(row: Row) -> Share:
    """Count whether nothing is called "matters"."""
    return float(not row["enough"]), 1


def _leak(method: str) -> Callable[[Row], Share]:
    return lambda row: (row["leak"][method], 1)


def _undetermined(method: str) -> Callable[[Row], Share]:
    return lambda row: (float(row["undetermined"][method]), 1)


MEASURES: Mapping[str, Callable[[Row], Share]] = {
    "dead p<.05": false_alarms,
    "dead matters": dead_matter,
    "dead not testable": dead_not_testable,
    "deciding found": deciding,
    "real found": power,
    # The importance of all dead parameters together; nothing where it is undetermined.
    "leak paper": _leak("paper"),
    "leak calibrated": _leak("calibrated"),
    "undetermined calibrated": _undetermined("calibrated"),
    "no evidence": no_evidence,
}


def ratio(shares: Mapping[str, Sequence[Share]]) -> tuple[float, float]:
    """Return a share and its standard error, of the counts by study.

    The parameters of one study are not independent, so the study is the unit.
    """
    sums = [(sum(a for a, _ in own), sum(b for _, b in own)) for own in shares.values()]
    total = sum(below for _, below in sums)
    if not total:
        return math.nan, math.nan
    share = sum(above for above, _ in sums) / total
    if len(sums) < 2:
        return share, math.nan
    squares = sum((above - share * below) ** 2 for above, below in sums)
    return share, math.sqrt(squares * len(sums) / (len(sums) - 1)) / total


def summary(rows: Sequence[Row], measures: Sequence[str]) -> Summary:
    """Return the measures of some rows with their standard errors."""
    found: Summary = {"studies": len({row["study"] for row in rows})}
    for name in measures:
        count = MEASURES[name]
        shares: dict[str, list[Share]] = defaultdict(list)
        for row in rows:
            shares[row["study"]].append(count(row))
        share, error = ratio(shares)
        found[name] = None if math.isnan(share) else round(share, 4)
        found[f"{name} se"] = None if math.isnan(error) else round(error, 4)
    found["sampling"] = dict(Counter(row["sampling"] for row in rows).most_common())
    found["seconds"] = round(max(row["seconds"] for row in rows), 2)
    return found


def _cells(
    rows: Iterable[Row], *keys: str, measures: Sequence[str] = tuple(MEASURES)
) -> list[Summary]:
    cells: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        cells[tuple(row[key] for key in keys)].append(row)
    return [
        dict(zip(keys, cell, strict=True)) | summary(cells[cell], measures)
        for cell in sorted(cells)
    ]


def summaries(rows: Sequence[Row]) -> dict[str, list[Summary]]:
    """Return the cells of all tables."""
    real = [row for row in rows if row["kind"] != "design"]
    made = [row for row in rows if row["kind"] == "design"]
    singly = [row | {"dead": [name], "parameter": name} for row in real for name in row["dead"]]
    return {
        "overall": _cells(real, "quantile"),
        "by dead parameter": _cells(
            singly, "parameter", "quantile", measures=("dead p<.05", "dead matters")
        ),
        "by sampler": _cells(real, "sampler", "quantile"),
        "by sampler and size": _cells(real, "sampler", "trials", "quantile"),
        "by sampler, kind and size": _cells(real, "sampler", "kind", "trials", "quantile"),
        "by objective": _cells(
            [row | {"objective": row["study"].split("/")[0]} for row in real],
            "objective", "trials", "quantile",
        ),
        "studies made after the test was settled": _cells(
            [row for row in real if int(row["study"].split("/")[-1]) >= HELD_OUT_FROM],
            "sampler", "trials", "quantile",
        ),
        "designs": _cells(made, "sampler", "quantile"),
    }  # fmt: skip


def tables(found: Mapping[str, Sequence[Summary]]) -> str:
    """Return all tables as Markdown."""
    return "\n\n".join(f"## {name}\n\n{_table(cells)}" for name, cells in found.items() if cells)


_ABOUT = """# Verdicts on real studies

Measured by `python -m benchmarks.verdicts --page docs/trust/verdicts.md` with default settings, on
stored studies (`benchmarks/studies/data`, made by `python -m benchmarks.studies.generate` with
fixed seeds): eight objectives, scikit-learn models on its own data sets, regression and
classification, with and without ties and pruning, conditional and flat, one with two objectives.
Each has five planted *dead* parameters, which are suggested and never used, and one *deciding*
parameter, such as the choice of the model. Shares ± standard errors, clustered by study. The rules
for recognising the sampler and for combining the tests were settled on parts of these studies; the
TPE studies from number 8 on were made afterwards and have a table of their own.

- **dead p<.05**: dead parameters with a p-value below 0.05; a test that holds has at most 0.05 up
  to chance.
- **dead matters**: dead parameters that are called "matters": an adjusted p-value of at most 0.1,
  which depends on the study's other parameters, too.
- **dead not testable**: dead parameters that have no p-value, with a reason, such as that no trial
  of the target set has them active.
- **deciding found**, **real found**: how often the deciding parameter, and any parameter that is
  used, is said to matter.
- **leak**: the importance that goes to all dead parameters together, 0 where a result is
  undetermined; `paper` has the numbers of Optuna's importances, and is the default.
- **undetermined calibrated**: how often `calibrated` gives no importance to any parameter.
- **no evidence**: how often no parameter is said to matter.
- **sampling**: how the trials were tested: against replays of TPE, within strata of ten trials, by
  both (the larger p-value counts), with *shifts* of the values to other times, among all trials, or
  among those *drawn at random* by a sampler that chose the others, where it records which (SMAC3).
"""


def page(found: Mapping[str, Sequence[Summary]], designs: Mapping[str, str]) -> str:
    """Return the page with what users should know; ``designs`` describes each design."""
    parts = (
        "overall", "studies made after the test was settled", "by sampler", "by sampler and size",
        "by dead parameter", "designs",
    )  # fmt: skip
    shown = {name: found[name] for name in parts if name in found}
    listed = "\n".join(f"- `{name}`: {what}" for name, what in designs.items())
    return f"{_ABOUT}\n{tables(shown)}\n\nThe designs:\n\n{listed}\n"


def _table(cells: Sequence[Summary]) -> str:
    keys = [name for name in cells[0] if name not in MEASURES and not name.endswith(" se")]
    first = [name for name in keys if name not in ("sampling", "seconds")]
    measures = [name for name in MEASURES if name in cells[0]]
    head = [*first, *measures, "sampling"]
    lines = [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    for cell in cells:
        entries = [str(cell[name]) for name in first]
        entries += [_with_error(cell[name], cell[f"{name} se"]) for name in measures]
        entries.append(", ".join(f"{name} {count}" for name, count in cell["sampling"].items()))
        lines.append(f"| {' | '.join(entries)} |")
    return "\n".join(lines)


def _with_error(share: float | None, error: float | None) -> str:
    if share is None:
        return "–"
    return f"{share:.3f}" if error is None else f"{share:.3f} ± {error:.3f}"
