"""How trials were drawn, as far as their source records it: what replays of a sampler need."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

import numpy as np

from condped.arrays import BoolArray, FloatArray, Rows

# ``independent``: without regard to earlier results (random, quasi-random, grid).
SamplerKind = Literal["tpe", "independent", "other"]
MOST_RECORDED = 5_000  # trials, up to which readers collect all this


@dataclass(frozen=True, slots=True)
class SamplerRecord:
    """The sampler that a source names or that left its marks there.

    Attributes
    ----------
    name
        For users, such as ``TPESampler``.
    kind
        How it draws.
    source
        How it is known, for users: ``marks in the storage`` or ``the study's sampler``.
    startup, candidates, constant_liar, multivariate
        Settings of TPE; None where they are not recorded.
    """

    name: str
    kind: SamplerKind
    source: str
    startup: int | None = None
    candidates: int | None = None
    constant_liar: bool | None = None
    multivariate: bool | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Drawing:
    """What is recorded of how each trial was drawn.

    Attributes
    ----------
    samplers
        Those that are known to have drawn trials of this study; empty if none is recorded.
    steps, last_losses
        (trials,): the last step that a trial reported, and what it reported there as the sampler
        minimised it; NaN without any; None if nowhere.
    losses
        (trials, objectives): what the sampler minimised, if that may differ from the objectives of
        the table.
    fixed
        By parameter, where its value was not drawn: set by the user (enqueued), or copied from a
        failed trial that was retried.
    independent
        (trials,): which were drawn at random or by a design, without regard to results, by a
        sampler that chose others by results; None where this is not recorded.
    """

    samplers: tuple[SamplerRecord, ...] = ()
    steps: FloatArray | None = None
    last_losses: FloatArray | None = None
    losses: FloatArray | None = None
    fixed: Mapping[str, BoolArray] = field(default_factory=dict)
    independent: BoolArray | None = None

    def only(self, rows: Rows) -> Drawing:
        """Return the same for these trials only."""

        def cut(values: FloatArray | None) -> FloatArray | None:
            return None if values is None else values[rows]

        def cut_masks(masks: Mapping[str, BoolArray]) -> Mapping[str, BoolArray]:
            return {name: np.asarray(where[rows]) for name, where in masks.items()}

        return replace(
            self,
            steps=cut(self.steps),
            last_losses=cut(self.last_losses),
            losses=cut(self.losses),
            fixed=cut_masks(self.fixed),
            independent=None if self.independent is None else np.asarray(self.independent[rows]),
        )


class DeferredDrawing(Drawing):
    """The same, built on first access: most analyses never need it."""

    __slots__ = ("_make",)
    _make: Callable[[], Drawing]

    def __new__(cls, make: Callable[[], Drawing] | None = None, **fields: Any) -> Any:
        """Return a plain one if its fields are given, as ``replace`` does."""
        return Drawing(**fields) if make is None else super().__new__(cls)

    def __init__(self, make: Callable[[], Drawing]) -> None:
        object.__setattr__(self, "_make", make)

    def __getattr__(self, name: str) -> Any:
        """Fill all fields on first access."""
        if name not in _FIELDS:
            raise AttributeError(name)
        made = self._make()
        for entry in _FIELDS:
            object.__setattr__(self, entry, getattr(made, entry))
        return getattr(made, name)

    def only(self, rows: Rows) -> Drawing:
        """Return the same for these trials only."""
        return DeferredDrawing(lambda: Drawing.only(self, rows))

    def __reduce__(self) -> tuple[Any, ...]:
        return Drawing, tuple(getattr(self, name) for name in _FIELDS)


_FIELDS = tuple(entry.name for entry in fields(Drawing))
