"""What a claim is: a sentence of the paper, and a function that checks whether it holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Literal, Protocol, TypeAlias

from condped.errors import DataError
from experiments.registry import Row

Verdict: TypeAlias = Literal["holds", "holds partly", "does not hold"]
# What a verdict rests on, in the order of the page; they are counted apart.
Basis: TypeAlias = Literal[
    "measured", "identity", "printed", "own surrogates", "another surrogate generation"
]


class Runs(Protocol):
    """The rows of experiments that have been run."""

    def rows(self, experiment: str) -> list[Row]:
        """Return the rows of all seeds; raise if the experiment was not run."""
        ...


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check measured, and what that means for the claim."""

    verdict: Verdict
    measured: str  # the number or numbers, in a short text
    note: str = ""  # why, where it does not hold or needs a word
    numbers: Mapping[str, float] = field(default_factory=dict)
    basis: Basis = "measured"


class NotCheckedError(DataError):
    """A claim that cannot be decided here; the message says what was measured and what was not."""


Check: TypeAlias = Callable[[Runs], Finding]


@dataclass(frozen=True, slots=True)
class Claim:
    """One checkable sentence of the paper."""

    name: str  # unique, such as "disjoint-gate-peaks-at-half"
    section: str  # heading under which the page lists it, such as "Conditional activation"
    place: str  # "§5.2, Figure 1a"
    statement: str  # in our words
    check: Check


CLAIMS: dict[str, Claim] = {}

# Importing them fills CLAIMS, in this order. A missing module adds nothing.
_MODULES = (
    "experiments.claims.theory",
    "experiments.claims.leakage",
    "experiments.claims.activation",
    "experiments.claims.domains",
    "experiments.claims.baselines",
    "experiments.claims.ablations",
    "experiments.claims.robustness",
    "experiments.claims.runtime",
    "experiments.claims.hierarchies",
    "experiments.yahpo.claims.importances",
    "experiments.yahpo.claims.correlations",
    "experiments.yahpo.claims.printed",
)


def claim(name: str, *, section: str, place: str, statement: str) -> Callable[[Check], Check]:
    """Register the decorated function as the check of a claim.

    Examples
    --------
    >>> @claim("two", section="Sums", place="§1", statement="One and one is two.")
    ... def two(runs):
    ...     return Finding("holds", f"{1 + 1}")
    >>> CLAIMS.pop("two").check(None).measured
    '2'
    """

    def register(check: Check) -> Check:
        if name in CLAIMS:
            raise ValueError(f"There are two claims named {name!r}.")
        CLAIMS[name] = Claim(name, section, place, statement, check)
        return check

    return register


def all_claims() -> tuple[Claim, ...]:
    """Return every claim, in the paper's order."""
    for module in _MODULES:
        package = module.rpartition(".")[0]
        if find_spec(package) is not None and find_spec(module) is not None:
            import_module(module)
    return tuple(CLAIMS.values())
