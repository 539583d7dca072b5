"""Several studies: whether intervals hold the truth, and whether only real differences are found.

``python -m benchmarks.across [--output FILE] [--page FILE] [--resume]``: all seeds fixed. Every
block of studies adds a few rows to ``--rows`` as soon as it is done; ``--resume`` continues after
them. ``--parts`` and ``--blocks`` select a part.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import optuna

import condped
from benchmarks.across_families import FAMILIES, MIDDLE, PLACES, TWINS, WINNERS, Family
from benchmarks.across_page import Row, page, plain_numbers, summaries
from benchmarks.measured_rows import add_row_options, measure_rows
from benchmarks.studies.load import stored_studies
from condped.analyse.across.branches import study_branches
from condped.analyse.across.pooled import pooled
from condped.analyse.across.result import PooledParameter, StudyImportance
from condped.analyse.across.study import StudyNumbers, study_numbers
from condped.analyse.options import Options, open_trials

Part = Literal["families", "tpe", "stored"]
Method = Literal["paper", "calibrated"]
Member: TypeAlias = int | str
PARTS: tuple[Part, ...] = ("families", "tpe", "stored")
STUDIES = (3, 5, 10, 20)
TRIALS = (100, 300)
LEVEL = 0.9
BLOCKS = 4  # of studies, of each family and number of trials
BLOCK = 40  # studies that are alike, and as many that differ smoothly
CALIBRATED = 20  # of these are also analysed by the other method
ODD_ONES = 4
SIZES = 12  # studies with half, and with twice as many trials
TPE_RUNS = {"middle": 10, "odd": 5}
TWIN_RUNS = 20
TPE_TRIALS = (100, 200)
SAMPLERS = ("tpe", "tpe_univariate", "random", "qmc")
FIRST_SEED = 50_000
HERE = Path(__file__).parent


def numbers(source: Any, method: Method = "paper", **options: Any) -> StudyNumbers:
    """Return the numbers of one study that ``condped.across`` uses."""
    parsed = Options.of(condped.across, options | {"method": method})
    question = replace(parsed.question((0.1,)), intervals="jackknife", level=LEVEL)
    found = study_numbers("", open_trials(source, **parsed.reading), question)
    return replace(found, branches=study_branches("", found.result))


def together(studies: Sequence[StudyNumbers]) -> tuple[tuple[PooledParameter, ...], list[str]]:
    """Return parameters over all studies, and the studies named as odd in any of them."""
    named = [replace(one, name=str(place)) for place, one in enumerate(studies)]
    cells = [
        StudyImportance(
            one.name, parameter.name, parameter.importance, None, None,
            one.explained[parameter.name].value, one.explained[parameter.name].error, None,
            "no evidence",
        )
        for one in named
        for parameter in one.result
    ]  # fmt: skip
    parameters, marked = pooled(named, cells, LEVEL)
    return parameters, sorted({cell.study for cell in marked if cell.odd})


def measure_families(family: Family, trials: int, block: int) -> Iterator[Row]:
    """Pool studies of one block in disjoint families of every size."""
    seeds = iter(range(FIRST_SEED + 1_000 * block, FIRST_SEED + 1_000 * (block + 1)))
    rng = np.random.default_rng([FIRST_SEED, block])
    drawn = rng.integers(len(PLACES), size=BLOCK).tolist()

    def study(member: Member, size: int = trials, *, wide: bool = False) -> Any:
        return family.sample(member, size, next(seeds), wide=wide)

    tables = {"alike": [study(MIDDLE) for _ in range(BLOCK)],
              "smooth": [study(member) for member in drawn]}  # fmt: skip
    known = {
        kind: [numbers(table, sampling="random") for table in own] for kind, own in tables.items()
    }
    half, twice = (
        [numbers(study(MIDDLE, size), sampling="random") for _ in range(SIZES)]
        for size in (trials // 2, trials * 2)
    )
    wide = [numbers(study(MIDDLE, wide=True), sampling="random") for _ in range(BLOCK // 4)]
    odd = [numbers(study("odd"), sampling="random") for _ in range(ODD_ONES)]
    mixed = [one for three in zip(half, known["alike"], twice, strict=False) for one in three]
    other = [one for pair in zip(wide, known["alike"], strict=False) for one in pair]
    every = {**known, "sizes": mixed, "domains": other}
    shared = {"part": "families", "family": family.name, "trials": trials, "block": block}
    for kind, own in every.items():
        for size in STUDIES:
            groups = [own[k : k + size] for k in range(0, len(own) - size + 1, size)]
            yield shared | {"kind": kind, "studies": size, "method": "paper",
                            **_scored(family, groups, kind, "paper")}  # fmt: skip
    for kind in ("alike", "smooth"):
        for size in STUDIES:
            groups = [[one, *known[kind][k * (size - 1) : (k + 1) * (size - 1)]]
                      for k, one in enumerate(odd) if (k + 1) * (size - 1) <= BLOCK]  # fmt: skip
            found = [together(group) for group in groups]
            yield shared | {
                "kind": f"odd, others {kind}", "studies": size, "draws": len(groups),
                "found": sum("0" in names for _, names in found),
                "wrong": sum(any(name != "0" for name in names) for _, names in found),
                "differs": sum(_differ(family, parameters)[0] for parameters, _ in found),
            }  # fmt: skip
    for kind, own in tables.items():
        again = [numbers(one, "calibrated", sampling="random") for one in own[:CALIBRATED]]
        for size in STUDIES:
            groups = [again[k : k + size] for k in range(0, len(again) - size + 1, size)]
            yield shared | {"kind": kind, "studies": size, "method": "calibrated",
                            **_scored(family, groups, kind, "calibrated")}  # fmt: skip
    yield from _pair_rows(shared, known["alike"], odd)


def _pair_rows(
    shared: Row, alike: Sequence[StudyNumbers], odd: Sequence[StudyNumbers]
) -> Iterator[Row]:
    """Record disjoint pairs of studies that are alike, and pairs of which one is odd."""
    pairs = {"alike": zip(alike[::2], alike[1::2], strict=True),
             "odd": zip(alike, odd, strict=False)}  # fmt: skip
    for kind, both in pairs.items():
        for pair in both:
            yield shared | {"kind": f"pair, {kind}", "pair": list(map(plain_numbers, pair))}


def measure_winners(family: Family, trials: int, block: int) -> Iterator[Row]:
    """Record pairs of random studies of a family that is not pooled."""
    seeds = iter(range(FIRST_SEED + 1_000 * block, FIRST_SEED + 1_000 * (block + 1)))

    def studies(member: Member, number: int) -> list[StudyNumbers]:
        tables = (family.sample(member, trials, next(seeds)) for _ in range(number))
        return [numbers(table, sampling="random") for table in tables]

    shared = {"part": "families", "family": family.name, "trials": trials, "block": block}
    changed = studies("odd", ODD_ONES) if family is WINNERS else []
    yield from _pair_rows(shared, studies(MIDDLE, BLOCK), changed)


def _scored(
    family: Family, groups: Sequence[Sequence[StudyNumbers]], kind: str, method: Method
) -> Row:
    """Count how often intervals hold the truth, and what is found to differ or to be odd."""
    members: Sequence[Member] = range(len(PLACES)) if kind == "smooth" else (MIDDLE,)
    every = [family.importance(member, method) for member in members]
    shares = [family.explained(member) for member in members]
    truth = {name: float(np.mean([one[name] for one in every])) for name in every[0]}
    apart = {name: float(np.std([one[name] for one in shares])) for name in shares[0]}
    found: Row = {
        "draws": len(groups), "numbers": 0, "covered": 0, "width": 0.0, "compared": 0,
        "spread covered": 0, "moving": 0, "differs moving": 0, "differs others": 0, "odd": 0,
    }  # fmt: skip
    for group in groups:
        parameters, names = together(group)
        found["odd"] += bool(names)
        moving, others = _differ(family, parameters)
        if kind == "smooth":
            found["moving"] += 1
            found["differs moving"] += moving
        else:
            others = others or moving
        found["differs others"] += others
        for one in parameters:
            found["numbers"] += 1
            found["covered"] += one.low <= truth[one.name] <= one.high
            found["width"] += one.high - one.low
            if one.spread_high is not None and one.compared == len(group):
                found["compared"] += 1
                # Bisection leaves a remainder that is not a spread.
                held = one.spread_low - 1e-9 <= apart[one.name] <= one.spread_high + 1e-9
                found["spread covered"] += held
    return found


def _differ(family: Family, parameters: Sequence[PooledParameter]) -> tuple[bool, bool]:
    """Return whether one that moves in the family is found to differ, and one that does not."""
    named = {one.name for one in parameters if one.agreement == "differs"}
    return bool(named & set(family.moving)), bool(named - set(family.moving))


def measure_tpe(family: Family, kind: str, run: int) -> Iterator[Row]:
    """Optimise a member by TPE, and record what explains its first trials and all."""
    seed = FIRST_SEED + run + (500 if kind == "odd" else 0)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    member: Member = MIDDLE if kind == "middle" else "odd"
    study.optimize(family.objective(member, seed), n_trials=max(TPE_TRIALS))
    for trials in TPE_TRIALS:
        cut = optuna.create_study(sampler=study.sampler)
        cut.add_trials(study.trials[:trials])
        yield {"part": "tpe", "family": family.name, "kind": kind, "run": run, "trials": trials,
               "numbers": plain_numbers(numbers(cut))}  # fmt: skip


def measure_stored(objective: str, sampler: str) -> Iterator[Row]:
    """Record what explains the runs of an objective by one sampler."""
    for stored in stored_studies(objectives=[objective], samplers=[sampler]):
        options = stored.source()
        found = numbers(options.pop("source"), **options)
        yield {"part": "stored", "objective": objective, "sampler": sampler,
               "number": stored.number, "numbers": plain_numbers(found)}  # fmt: skip


def _jobs(
    arguments: argparse.Namespace,
) -> Iterator[tuple[tuple[Any, ...], Callable[[], Iterator[Row]]]]:
    """Iterate over what to run, with a key that no other run has; a bit of everything first."""
    for block in range(arguments.blocks):
        if "families" in arguments.parts:
            for family in FAMILIES:
                for trials in TRIALS:
                    yield (
                        ("families", family.name, trials, block),
                        partial(measure_families, family, trials, block),
                    )
            for family in (WINNERS, TWINS):
                for trials in TRIALS:
                    yield (
                        ("families", family.name, trials, block),
                        partial(measure_winners, family, trials, block),
                    )
        if block == 0 and "stored" in arguments.parts:
            single = [one for one in _stored_pairs() if one[1] in arguments.samplers]
            for objective, sampler in single:
                yield ("stored", objective, sampler), partial(measure_stored, objective, sampler)
        if block == 1 and "tpe" in arguments.parts:
            runs = [
                (run, kind, family)
                for kind, number in TPE_RUNS.items()
                for run in range(number)
                for family in (*FAMILIES, WINNERS)
            ]
            runs += [(run, "middle", TWINS) for run in range(TWIN_RUNS)]
            for run, kind, family in sorted(runs, key=lambda one: one[0]):
                yield (
                    ("tpe", family.name, kind, run),
                    partial(measure_tpe, family, kind, run),
                )


def _stored_pairs() -> list[tuple[str, str]]:
    """Return objectives and samplers with two runs or more, of one objective value."""
    counted: dict[tuple[str, str], int] = {}
    for stored in stored_studies(samplers=SAMPLERS):
        if stored.objective.objectives == 1:
            key = stored.objective.name, stored.sampler
            counted[key] = counted.get(key, 0) + 1
    return sorted((key for key, runs in counted.items() if runs > 1), key=_turn)


def _turn(key: tuple[str, str]) -> tuple[int, str]:
    return SAMPLERS.index(key[1]), key[0]


def _key(row: Row) -> tuple[Any, ...]:
    fields = {"families": ("family", "trials", "block"), "tpe": ("family", "kind", "run"),
              "stored": ("objective", "sampler")}  # fmt: skip
    return row["part"], *(row[name] for name in fields[row["part"]])


def main() -> None:
    """Measure everything, save it and show it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--blocks", type=int, default=BLOCKS, help="of studies of each family")
    parser.add_argument("--samplers", nargs="+", choices=SAMPLERS, default=SAMPLERS)
    parser.add_argument("--output", type=Path, default=HERE / "across.json", help="JSON file")
    parser.add_argument("--page", type=Path, help="Markdown file")
    add_row_options(parser, "rows of each block")
    arguments = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    rows = measure_rows(arguments, _key, _jobs(arguments))
    told = summaries(rows)
    arguments.output.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    text = page(told)
    print(text)
    if arguments.page is not None:
        arguments.page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
