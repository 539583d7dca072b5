"""Which samplers drew a study: from the marks that they leave in its system attributes.

Random, brute-force and univariate TPE samplers leave none in any version of Optuna, multivariate
TPE only since 4.5 and only with a constant liar (Optuna 5's default for one objective), GP only
since 4.8.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from condped.trials.course.drawing import SamplerKind, SamplerRecord

_MARKS = "marks in the storage"
_KINDS: dict[str, SamplerKind] = {
    "TPESampler": "tpe",
    "RandomSampler": "independent",
    "QMCSampler": "independent",
    "GridSampler": "independent",
    "BruteForceSampler": "independent",
}
# Keys of system attributes, of trials and of the study, and the samplers that write them.
_WRITERS = (
    (r"tpe:relative_params:", "TPESampler"),
    (r"gp:relative_params:", "GPSampler"),
    (r"grid_id$", "GridSampler"),
    (r"qmc:|(sobol|halton)\b.*'s last sample id$", "QMCSampler"),  # the latter before 4.9
    (r"(cma|sepcma|cmawm):", "CmaEsSampler"),
    (r"nsga2:generation$", "NSGAIISampler"),  # before 4.3
    (r"nsga3:generation$", "NSGAIIISampler"),
    (r"condped:advised$", "AdvisedSampler"),
    (r"(\w+):generation$", None),  # genetic samplers write their own names since 4.3
)
# OptunaHub's AutoSampler records in each trial which sampler it chose.
CHOSEN = "auto:sampler"


def marked(keys: Iterable[str], chosen: Iterable[Any] = ()) -> tuple[SamplerRecord, ...]:
    """Return the samplers that left these keys; ``chosen`` are values of ``auto:sampler``."""
    found: dict[str, None] = {}
    for key in sorted(keys):
        for pattern, name in _WRITERS:
            if match := re.match(pattern, key):
                found[name or match[1]] = None
                break
    found |= dict.fromkeys(sorted({name for name in chosen if isinstance(name, str)}))
    # Only a multivariate TPE with a constant liar shares what it drew.
    return tuple(
        SamplerRecord(name, "tpe", _MARKS, constant_liar=True, multivariate=True)
        if name == "TPESampler" and any(key.startswith("tpe:") for key in keys)
        else SamplerRecord(name, _KINDS.get(name, "other"), _MARKS)
        for name in found
    )


def sampler_of(study: Any) -> SamplerRecord | None:
    """Return the sampler of a study in memory.

    None for other storages: a study that was loaded has a new sampler of the default kind.
    """
    if type(getattr(study, "_storage", None)).__name__ != "InMemoryStorage":
        return None
    sampler = study.sampler
    while hasattr(sampler, "_base_sampler"):  # PartialFixedSampler
        sampler = sampler._base_sampler
    name, source = type(sampler).__name__, "the study's sampler"
    if all(base.__name__ != "TPESampler" for base in type(sampler).__mro__):
        return SamplerRecord(name, _KINDS.get(name, "other"), source)
    multivariate = getattr(sampler, "_multivariate", None)
    if multivariate is None and hasattr(sampler, "_group"):  # Optuna 5's default
        multivariate = sampler._group or len(study.directions) == 1
    return SamplerRecord(
        name,
        "tpe",
        source,
        startup=getattr(sampler, "_n_startup_trials", None),
        candidates=getattr(sampler, "_n_ei_candidates", None),
        constant_liar=getattr(sampler, "_constant_liar", None),
        multivariate=multivariate,
    )
