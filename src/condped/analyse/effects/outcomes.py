"""Where the trials with an outcome lie, such as the failed ones, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from condped.analyse.values import Densities
from condped.safe_text import shortened
from condped.space.domain import Categorical

_MOST_LABEL = 48
_TRIALS = {
    "failed": "failed trials",
    "pruned": "pruned trials",
    "nonfinite": "trials without a finite objective",
    "infeasible": "infeasible trials",
}


def outcome_sentences(
    densities: Densities, names: Sequence[str], outcome: str, sizes: tuple[int, int]
) -> Iterator[str]:
    """Say for each parameter which values the trials with an outcome have more often than others.

    With several regimes, only for the one with the most such trials; ``sizes`` are those of the
    target set and the region set.
    """
    trials = _TRIALS.get(outcome, "target trials")
    for name in names:
        regimes = densities[name]
        found = [regime for regime in regimes if regime.good]
        if not found:
            continue
        regime = max(found, key=lambda one: sum(good.target_trials for good in one.good))
        inside = [
            sum(good.target_trials for good in regime.good),
            sum(good.region_trials for good in regime.good),
        ]
        some, every = (f"{100 * n / size:.0f} %" for n, size in zip(inside, sizes, strict=True))
        label = shortened(" or ".join(good.label for good in regime.good), _MOST_LABEL)
        where = f"in {regime.label}: " if len(regimes) > 1 else ""
        if isinstance(regime.domain, Categorical):
            words = f"{some} of the {trials} and {every} of all have {label}"
        else:
            words = f"{some} of the {trials} and {every} of all are inside {label}"
        yield f"{shortened(name)}: {where}{words}."
