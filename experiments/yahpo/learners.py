"""What is computed of one seed: importances, objectives per learner, and both side by side."""

from __future__ import annotations

import time
from collections.abc import Iterator

import condped
from condped import baselines
from experiments.registry import SEEDS, Row
from experiments.yahpo.folder import HOW_TO_GET, Evaluations, find_folder, read_once

# condped's own two methods, then the paper's baselines, in the order of the paper's tables.
OWN = ("paper", "calibrated")
BASELINES = tuple(
    f"{method}/{absent}" for method in baselines.METHODS for absent in baselines.ABSENT
)
METHODS = (*OWN, *BASELINES)
# SHAP takes five times as long as all others together.
NOT_IN_A_QUICK_RUN = ("shap/filtering", "shap/imputation")
TARGET_QUANTILE, REGION_QUANTILE = 0.1, 1.0  # gamma' and gamma, as in the paper


def importances(seed: int, quick: bool, *, family: str, only: tuple[str, ...] = ()) -> list[Row]:
    """Return the importance of each hyperparameter by condped's own methods."""
    del quick  # fast enough
    rows: list[Row] = []
    for data, data_seed in _instances(seed, family, only):
        for method in OWN:
            result = measure(data, data_seed, seed, method)
            for name, value in result.to_dict().items():
                rows.append(
                    {
                        **_common(data, data_seed, seed),
                        "method": method,
                        "parameter": name,
                        "learner": data.scenario.learner_of(name),
                        "importance": value,
                        "variance": result[name].variance,
                    }
                )
    return _some(rows, family)


def objectives(seed: int, quick: bool, *, family: str, only: tuple[str, ...] = ()) -> list[Row]:
    """Return the lowest, mean and highest objective of each learner's trials."""
    del quick
    rows: list[Row] = [
        {
            **_common(data, data_seed, seed),
            "objective": data.scenario.objective,
            "learner": learner,
            "trials": len(values),
            "low": float(values.min()),
            "mean": float(values.mean()),
            "high": float(values.max()),
        }
        for data, data_seed in _instances(seed, family, only)
        for learner, values in data.by_learner(data_seed).items()
    ]
    return _some(rows, family)


def side_by_side(
    seed: int, quick: bool, *, family: str, methods: tuple[str, ...] = METHODS
) -> list[Row]:
    """Return each learner's highest objective and the highest importance that it got."""
    rows: list[Row] = []
    for data, data_seed in _instances(seed, family):
        best = {name: values.max() for name, values in data.by_learner(data_seed).items()}
        for method in methods:
            if quick and method in NOT_IN_A_QUICK_RUN:
                continue
            begun = time.process_time()  # of this process only, whatever else runs beside it
            found = measure(data, data_seed, seed, method).to_dict()
            seconds = time.process_time() - begun
            for learner, highest in best.items():
                # The first of equals, in the order of the space.
                first = max(data.scenario.learners[learner], key=found.__getitem__)
                rows.append(
                    {
                        **_common(data, data_seed, seed),
                        "method": method,
                        "learner": learner,
                        "objective": float(highest),
                        "importance": found[first],
                        "parameter": first,
                        "seconds": seconds,
                    }
                )
    return _some(rows, family)


def measure(data: Evaluations, data_seed: int, seed: int, method: str) -> condped.ImportanceResult:
    """Return the importances of one seed's trials by any method; forests grow from ``seed``."""
    table = data.trials(data_seed)
    if method in OWN:
        return condped.importance(
            table,
            method=method,  # type: ignore[arg-type]
            target_quantile=TARGET_QUANTILE,
            region_quantile=REGION_QUANTILE,
            sampling="random",
        )
    name, _, absent = method.partition("/")
    return baselines.importance(
        table,
        method=name,  # type: ignore[arg-type]
        absent=absent,  # type: ignore[arg-type]
        target_quantile=TARGET_QUANTILE,
        region_quantile=REGION_QUANTILE,
        seed=seed,
    )


def _instances(
    seed: int, family: str, only: tuple[str, ...] = ()
) -> Iterator[tuple[Evaluations, int]]:
    """Yield the instances with the seed of the data that stands for an experiment's seed.

    Seeds are matched by position: data with seeds 0 to 9 serve the experiments' 42 to 51 as well
    as data with the paper's own seeds do.
    """
    folder = find_folder()
    if folder is None:
        return
    for instance, data in read_once(folder).get(family, {}).items():
        position = seed - SEEDS[0]
        if (not only or instance in only) and 0 <= position < len(data.seeds):
            yield data, data.seeds[position]


def _common(data: Evaluations, data_seed: int, seed: int) -> Row:
    """Return what all rows of one instance and seed have in common."""
    return {
        "scenario": data.scenario.name,
        "label": data.scenario.label,
        "instance": data.instance,
        "seed": seed,
        "data_seed": data_seed,
    }


def _some(rows: list[Row], family: str) -> list[Row]:
    if not rows:
        raise condped.errors.DataError(f"There are no evaluations of {family}. {HOW_TO_GET}")
    return rows
