"""The experiments on YAHPO Gym, by the paper's figures and tables."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from condped.errors import CondpedError
from experiments.registry import SEEDS, Experiment
from experiments.yahpo import figures, learners, tables
from experiments.yahpo.folder import (
    ANOTHER_GENERATION,
    HOW_TO_GET,
    Evaluations,
    find_folder,
    read_folder,
)

FIRST = ("1053",)  # the paper's main text has this instance, its appendix the others
OTHERS = ("1457", "1063", "1479", "15", "1468")
QUICK = SEEDS[:2]


def experiments(folder: Path | None, why: str | None = None) -> tuple[Experiment, ...]:
    """Return the six experiments on a folder of evaluation sets.

    Without one they are listed and cannot be run; ``why`` is the reason.
    """
    made = _all(folder)
    return made if why is None else tuple(replace(one, unavailable=why) for one in made)


def _all(folder: Path | None) -> tuple[Experiment, ...]:
    return (
        _experiment(
            "figure-5", "condPED-ANOVA on the first instance of rbv2", folder, "rbv2",
            compute=learners.importances, draw=figures.draw_importances, only=FIRST,
        ),
        _experiment(
            "figure-15", "condPED-ANOVA on the other instances of rbv2", folder, "rbv2",
            compute=learners.importances, draw=figures.draw_importances, only=OTHERS,
        ),
        _experiment(
            "table-1", "objective per learner, first instance of rbv2", folder, "rbv2",
            compute=learners.objectives, draw=tables.draw_objectives, only=FIRST,
        ),
        _experiment(
            "table-2", "correlation of importance with performance on rbv2, ten methods", folder,
            "rbv2", compute=learners.side_by_side,
            draw=partial(tables.draw_correlations, family="rbv2"),
        ),
        _experiment(
            "table-3", "objective per learner, other instances of rbv2", folder, "rbv2",
            compute=learners.objectives, draw=tables.draw_objectives, only=OTHERS,
        ),
        _experiment(
            "table-4", "correlation of importance with performance on iaml, ten methods", folder,
            "iaml", compute=learners.side_by_side,
            draw=partial(tables.draw_correlations, family="iaml"),
        ),
    )  # fmt: skip


def _experiment(
    name: str,
    description: str,
    folder: Path | None,
    family: str,
    *,
    compute: Any,
    draw: Any,
    only: tuple[str, ...] = (),
) -> Experiment:
    """Return one experiment, bound to its family and instances."""
    kind, _, number = name.partition("-")
    asked: dict[str, Any] = {"family": family, **({"only": only} if only else {})}
    data = _data(folder, family, only)
    files = {one.path.name: _digest(one.path) for one in data}
    label = data[0].scenario.label if data else ANOTHER_GENERATION
    seeds, notice = _seeds(data)
    return Experiment(
        name=name,
        place=f"{kind.capitalize()} {number}",
        description=description,
        seeds=seeds,
        quick_seeds=seeds[: len(QUICK)],
        compute=partial(compute, **asked),
        draw=partial(draw, name=name, label=label),
        settings={
            "data": files,
            "target_quantile": learners.TARGET_QUANTILE,
            "region_quantile": learners.REGION_QUANTILE,
        },
        notice=notice,
        unavailable=None if files else f"there are no evaluations of {family}. {HOW_TO_GET}",
    )


def _data(folder: Path | None, family: str, only: tuple[str, ...]) -> list[Evaluations]:
    """Return the available evaluations of an experiment's instances."""
    if folder is None:
        return []
    return [
        one
        for instance, one in read_folder(folder).get(family, {}).items()
        if not only or instance in only
    ]


def _seeds(data: Sequence[Evaluations]) -> tuple[tuple[int, ...], str]:
    """Return the seeds in the data, and a sentence if they are fewer than requested."""
    if not data:
        return SEEDS, ""
    held = {one.path.name: min(len(one.seeds), len(SEEDS)) for one in data}
    fewer = [f"{name} {count}" for name, count in held.items() if count < len(SEEDS)]
    if not fewer:
        return SEEDS, ""
    return SEEDS[: max(held.values())], (
        f"Fewer than {len(SEEDS)} seeds in the data, so only those are used: {', '.join(fewer)}."
    )


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def _found() -> tuple[Experiment, ...]:
    """Return the experiments on the folder found; an unusable one must not stop the others."""
    try:
        return experiments(find_folder())
    except CondpedError as error:
        return experiments(None, str(error))


EXPERIMENTS: tuple[Experiment, ...] = _found()
