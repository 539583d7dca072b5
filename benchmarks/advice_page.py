"""Runs with and without advice as cells: wins, ratios of regrets with intervals, and their page."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from benchmarks.advice_bounds import CASES
from benchmarks.advice_tasks import Task

Row: TypeAlias = dict[str, Any]
Summary: TypeAlias = dict[str, Any]
# Smaller regrets, as a share of what random draws typically have, are taken for equal.
FLOOR = 1e-4
FEWEST = 4  # studies with advice, for an informative interval
_BOOTSTRAPS = 2_000
_LEVEL = 0.95
# The ways that are compared with going on, with the field that says whether anything was narrowed,
# and whether the optimum was cut away.
WAYS = {
    "advice.start": ("started", "advised", "cut"),
    "AdvisedSampler": ("sampled", "sampler_advised", "sampler_cut"),
}


def regret(row: Row, way: str) -> float:
    """Return how far the best trial is from the lowest value, as a share of what is typical."""
    typical: float = row["typical"] - row["lowest"]
    own: float = row[way] - row["lowest"]
    return max(own / typical, FLOOR)


def ratio(rows: Sequence[Row], way: str) -> tuple[float, float, float]:
    """Return the geometric mean of regrets over those of going on, and its interval.

    Bootstrapped by task and seed: runs of one seed share their first trials.
    """
    logs: dict[tuple[str, int], list[float]] = defaultdict(list)
    for row in rows:
        own = math.log(regret(row, way) / regret(row, "unchanged"))
        logs[row["task"], row["seed"]].append(own)
    sums = np.array([[sum(own), len(own)] for own in logs.values()])
    rng = np.random.default_rng(0)
    drawn = sums[rng.integers(len(sums), size=(_BOOTSTRAPS, len(sums)))].sum(axis=1)
    means = drawn[:, 0] / drawn[:, 1]
    low, high = np.quantile(means, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    mean = sums[:, 0].sum() / sums[:, 1].sum()
    return math.exp(mean), math.exp(float(low)), math.exp(float(high))


def verdict(rows: Sequence[Row], low: float, high: float) -> str:
    """Return what an interval shows; with few studies it shows nothing."""
    if len({(row["task"], row["seed"]) for row in rows}) < FEWEST:
        return "few"
    return "better" if high < 1 else "worse" if low > 1 else "open"


def summary(rows: Sequence[Row], way: str) -> Summary:
    """Return the measures of some runs: how often advised, and the results of advised ones."""
    value, advised, cut = WAYS[way]
    own = [row for row in rows if row[advised]]
    found: Summary = {"runs": len(rows), "advised": len(own)}
    if not own:
        return found | {
            "win": 0, "tie": 0, "loss": 0, "ratio": None, "low": None, "high": None,
            "verdict": "silent", "cut": None,
        }  # fmt: skip
    pairs = [(regret(row, value), regret(row, "unchanged")) for row in own]
    mean, low, high = ratio(own, value)
    return found | {
        "win": sum(new < old for new, old in pairs),
        "tie": sum(new == old for new, old in pairs),
        "loss": sum(new > old for new, old in pairs),
        "ratio": round(mean, 3), "low": round(low, 3), "high": round(high, 3),
        "verdict": verdict(own, low, high),
        "cut": round(sum(row[cut] for row in own) / len(own), 3),
    }  # fmt: skip


def _cells(rows: Iterable[Row], *keys: str) -> list[Summary]:
    cells: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        cells[tuple(row[key] for key in keys)].append(row)
    return [
        {"way": way, **dict(zip(keys, cell, strict=True)), **summary(cells[cell], way)}
        for way in WAYS
        for cell in cells
    ]


def summaries(rows: Sequence[Row], tasks: Mapping[str, Task]) -> dict[str, Any]:
    """Return the cells of all tables."""
    runs = [row | {"held out": tasks[row["task"]].held_out} for row in rows if "task" in row]
    order = {name: place for place, name in enumerate(tasks)}
    runs.sort(key=lambda row: (row["sampler"], order[row["task"]], row["first"]))
    bounds = [row for row in rows if "case" in row]
    advised = [row for row in runs if row["advised"]]
    return {
        "tasks": [
            {"task": task.name, "what": task.what, "held out": task.held_out}
            for task in tasks.values()
        ],
        "seeds": _counted(runs, lambda row: (row["sampler"], row["seed"])),
        "optimum lost": round(sum(row["cut"] for row in advised) / max(len(advised), 1), 3),
        "by sampler and size": _cells(runs, "sampler", "first"),
        "by task": _cells(runs, "sampler", "task"),
        "chosen by and held out": _cells(runs, "sampler", "held out"),
        "by task and size": _cells(runs, "sampler", "task", "first"),
        "widen": _widen(bounds, "sampler", "trials"),
        "widen by case": _widen(bounds, "case", "sampler", "trials"),
    }


def _counted(rows: Sequence[Row], key: Callable[[Row], tuple[str, int]]) -> dict[str, int]:
    found: dict[str, set[int]] = defaultdict(set)
    for row in rows:
        kind, seed = key(row)
        found[kind].add(seed)
    return {kind: len(seeds) for kind, seeds in found.items()}


def _widen(rows: Sequence[Row], *keys: str) -> list[Summary]:
    cells: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        if CASES[row["case"]].counted or "case" in keys:
            cells[tuple(row[key] for key in keys)].append(row)
    found = []
    for cell, own in cells.items():
        inside = [row for row in own if not row["bounds"]]
        beyond = sum(row["bounds"] for row in own)
        alarms = sum(row["wrong"] > 0 for row in inside)
        found.append(
            dict(zip(keys, cell, strict=True))
            | {
                "inside": len(inside),
                "false alarms": alarms,
                "false alarm rate": None if not inside else round(alarms / len(inside), 4),
                "bounds beyond": beyond,
                "found": None if not beyond else round(sum(r["right"] for r in own) / beyond, 3),
                "wrong bounds beside": sum(row["wrong"] > 0 for row in own if row["bounds"]),
            }
        )
    return found


_ABOUT = """# Does advice help?

Measured by `python -m benchmarks.advice --page docs/trust/advice.md`, all seeds fixed, default
settings.
{tasks} tasks are optimised by Optuna's random search (up to {random} seeds) and TPE (up to {tpe}),
fewer where a run takes long; *runs* counts seeds and sizes. After N0 = 50, 100 or 200 trials the
study goes on for as many again:

- **unchanged**: the sampler goes on as before,
- **`advice.start`**: `condped.advise(study).start(study)`; if nothing is narrowed, it goes on
  unchanged and is not counted,
- **`AdvisedSampler`**: a study drawn by `condped.optuna.AdvisedSampler` from the first trial on.

*Regret* is how far the best value is from the lowest known one, as a share of the median regret of
random draws; regrets below {floor:g} count as that. *ratio* is the geometric mean of regrets over
those of going on unchanged, over runs in which something was narrowed: below 1 is better. In
brackets its 95 % interval, bootstrapped by task and seed; **better** and **worse** are where it
excludes 1, and *few* where fewer than {fewest} studies were advised. *cut away* is the share of
advised spaces without the best known configuration (for `AdvisedSampler`: without it in what was
followed at the end).

Rules were settled by looking at runs with other seeds than these, of the tasks that are not *held
out* (of the held-out ones a single seed was seen). That advice stays silent where a sampler that
learns from results already draws most values in the smaller domain is one of these rules: in the
runs looked at, narrowing there lost against TPE three times and never won. That {fewest} studies
are needed for a verdict was decided after seeing these results: without it `AdvisedSampler` would
be called worse on one task (a single advised run) and more tasks would be called better.
"""

_WIDEN = """## When to widen

`inside`: studies whose optima lie inside the domains; a false alarm is any bound that is said to be
too tight. `found`: of the bounds beyond which the optimum lies, how many are named. Whether to
widen does not depend on how parameters are tested, so advice was asked for with
`sampling="random"`, which is fastest. Cases marked † are shown but not counted: whether they should
be widened is open.

That trials close to the bound are looked at more closely, and how sure they have to be, was settled
after false alarms on `branin` under TPE with seeds of this table: its rate there is no fresh
measurement. The first 66 runs of tasks were made before that.
"""


def page(told: Mapping[str, Any]) -> str:
    """Return the page."""
    seeds = told["seeds"]
    about = _ABOUT.format(
        tasks=len(told["tasks"]),
        random=seeds.get("random", 0),
        tpe=seeds.get("tpe", 0),
        floor=FLOOR,
        fewest=FEWEST,
    )
    parts = [about, _found(told)]
    for title, name, keys in (
        ("By sampler and number of trials", "by sampler and size", ("sampler", "first")),
        ("Tasks that rules were chosen by, and others", "chosen by and held out",
         ("sampler", "held out")),
        ("By task", "by task", ("sampler", "task")),
    ):  # fmt: skip
        parts.append(f"## {title}\n\n{_table(told[name], keys)}\n")
    listed = "\n".join(
        f"- `{one['task']}`{' (held out)' if one['held out'] else ''}: {one['what']}"
        for one in told["tasks"]
    )
    parts.append(f"The tasks:\n\n{listed}\n")
    parts.append(f"{_WIDEN}\n{_widen_table(told['widen'], ('sampler', 'trials'))}\n")
    by_case = [row for row in told["widen by case"] if row["trials"] == 200]
    parts.append(f"By case, at 200 trials:\n\n{_widen_table(by_case, ('case', 'sampler'))}\n")
    cases = "\n".join(
        f"- `{name}`{'' if case.counted else ' †'}: {case.what}" for name, case in CASES.items()
    )
    parts.append(f"The cases:\n\n{cases}\n")
    return "\n".join(parts)


def _found(told: Mapping[str, Any]) -> str:
    """Return the result in a few sentences."""
    lines = []
    for way in WAYS:
        cells = [row for row in told["by task"] if row["way"] == way]
        spoken = [row for row in cells if row["verdict"] != "silent"]
        counts = {kind: sum(row["verdict"] == kind for row in spoken) for kind in
                  ("better", "open", "worse", "few")}  # fmt: skip
        worse = [f"{row['task']} ({row['sampler']})" for row in spoken if row["verdict"] == "worse"]
        lines.append(
            f"- `{way}`: of {len(cells)} pairs of task and sampler something was narrowed in "
            f"{len(spoken)}; of these it is clearly better in {counts['better']}, clearly worse in "
            f"{counts['worse']}{': ' + ', '.join(worse) if worse else ''}, open in "
            f"{counts['open']}, and advised too rarely to say in {counts['few']}."
        )
    lost = told["optimum lost"]
    lines.append(f"- The best known configuration was cut away in {100 * lost:.0f} % of advices.")
    return "\n".join(lines) + "\n"


def _table(cells: Sequence[Summary], keys: Sequence[str]) -> str:
    names = {"first": "N0"}
    head = ["way", *(names.get(key, key) for key in keys), "runs", "advised", "win/tie/loss",
            "ratio", "", "cut away"]  # fmt: skip
    lines = [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    for row in cells:
        shown = [f"`{row['way']}`", *(_word(row[key]) for key in keys), str(row["runs"]),
                 str(row["advised"])]  # fmt: skip
        if row["ratio"] is None:
            shown += ["–", "–", "silent", "–"]
        else:
            shown += [
                f"{row['win']}/{row['tie']}/{row['loss']}",
                f"{row['ratio']:.2f} [{row['low']:.2f}, {row['high']:.2f}]",
                {"open": "", "few": "few"}.get(row["verdict"], f"**{row['verdict']}**"),
                f"{row['cut']:.2f}",
            ]
        lines.append(f"| {' | '.join(shown)} |")
    return "\n".join(lines)


def _word(value: Any) -> str:
    return (
        {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)
    )


def _widen_table(cells: Sequence[Summary], keys: Sequence[str]) -> str:
    head = [*keys, "inside", "false alarms", "beyond", "found", "other bounds named beside"]
    lines = [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    for row in cells:
        first = [_case(row[key]) if key == "case" else str(row[key]) for key in keys]
        rate, found = row["false alarm rate"], row["found"]
        shown = [
            str(row["inside"] or "–"),
            "–" if rate is None else f"{row['false alarms']} ({100 * rate:.1f} %)",
            str(row["bounds beyond"] or "–"),
            "–" if found is None else f"{100 * found:.0f} %",
            "–" if found is None else str(row["wrong bounds beside"]),
        ]
        lines.append(f"| {' | '.join([*first, *shown])} |")
    return "\n".join(lines)


def _case(name: str) -> str:
    return name if CASES[name].counted else f"{name} †"
