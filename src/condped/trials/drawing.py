"""How trials were drawn, as far as their source records it: what replaying a sampler needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from condped.arrays import BoolArray, FloatArray, IntArray

# ``independent``: without regard to earlier results (random, quasi-random, grid).
SamplerKind = Literal["tpe", "independent", "other"]
MOST_RECORDED = 5_000  # trials, up to which readers look for all this


@dataclass(frozen=True, slots=True)
class SamplerRecord:
    """The sampler that a source names or that left its marks there.

    Attributes
    ----------
    name
        For people, such as ``TPESampler``.
    kind
        What follows from it.
    source
        How it is known, for people: ``marks in the storage`` or ``the study's sampler``.
    startup, candidates, constant_liar
        Settings of TPE; None where they are not recorded.
    """

    name: str
    kind: SamplerKind
    source: str
    startup: int | None = None
    candidates: int | None = None
    constant_liar: bool | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Drawing:
    """What is recorded of how each trial was drawn.

    Attributes
    ----------
    samplers
        Those that are known to have drawn trials of this study; empty if none is recorded.
    started, finished
        (trials,): seconds, NaN where not recorded; None if nowhere.
    steps, last_values
        (trials,): the last step that a trial reported and what it reported there, as recorded;
        NaN without any; None if nowhere.
    losses
        (trials, objectives): what the sampler minimised, if that may differ from the objectives of
        the table.
    joint
        By parameter, where its value was drawn together with others (multivariate TPE).
    fixed
        By parameter, where its value was set by a person (enqueued), not drawn.
    """

    samplers: tuple[SamplerRecord, ...] = ()
    started: FloatArray | None = None
    finished: FloatArray | None = None
    steps: FloatArray | None = None
    last_values: FloatArray | None = None
    losses: FloatArray | None = None
    joint: Mapping[str, BoolArray] = field(default_factory=dict)
    fixed: Mapping[str, BoolArray] = field(default_factory=dict)

    def only(self, rows: BoolArray | IntArray) -> Drawing:
        """Return the same for these trials only."""

        def cut(values: FloatArray | None) -> FloatArray | None:
            return None if values is None else values[rows]

        return replace(
            self,
            started=cut(self.started),
            finished=cut(self.finished),
            steps=cut(self.steps),
            last_values=cut(self.last_values),
            losses=cut(self.losses),
            joint={name: np.asarray(where[rows]) for name, where in self.joint.items()},
            fixed={name: np.asarray(where[rows]) for name, where in self.fixed.items()},
        )
