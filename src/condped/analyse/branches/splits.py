"""The branches of a gate: which values switch on the same parameters, and where to cut."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from condped.space.domain import Categorical, Domain, Int, Numeric, choice_labels
from condped.space.nodes import (
    COMPARE,
    Comparison,
    Conjunction,
    Leaf,
    Membership,
    Node,
    ParameterComparison,
    gathered,
    leaves,
    names_of,
)
from condped.space.simplify import Settled, simplified
from condped.space.space import Space

_MOST_DIGITS = 17  # of a float
_MOST_CHOICES = 3  # in a label


def short_between(low: float, high: float, *, log: bool = False, open_end: bool = False) -> float:
    """Return a number above ``low`` and at most ``high`` with few digits, near their middle.

    With an open end it is below ``high``, or ``low`` if there is none between them.

    Examples
    --------
    >>> short_between(0.49871, 0.50332)
    0.5
    >>> short_between(0.00012, 0.013, log=True)
    0.001
    """
    if low < 0 <= high and not (open_end and high == 0):
        return 0.0
    middle = (
        math.copysign(math.sqrt(low * high), high) if log and low * high > 0 else (low + high) / 2
    )
    for digits in range(1, _MOST_DIGITS + 1):
        short = float(f"{middle:.{digits}g}")
        if low < short <= high and not (open_end and short == high):
            return short
    return low if open_end else high


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval of a number's values; an end that is None is unbounded.

    By default the lower end belongs to it and the upper one does not.
    """

    low: float | None
    high: float | None
    above: bool = False  # whether ``low`` is excluded
    up_to: bool = False  # whether ``high`` is included

    def test(self, name: str) -> Node:
        """Return the condition that a parameter's value lies in it."""
        if self.low is not None and self.low == self.high:
            return Comparison(name, "==", self.low)
        parts = []
        if self.low is not None:
            parts.append(Comparison(name, ">" if self.above else ">=", self.low))
        if self.high is not None:
            parts.append(Comparison(name, "<=" if self.up_to else "<", self.high))
        return parts[0] if len(parts) == 1 else Conjunction(tuple(parts))

    @property
    def label(self) -> str:
        """A short description."""
        if self.low is not None and self.low == self.high:
            return f"{self.low:.6g}"
        if self.low is None:
            return f"{'<=' if self.up_to else '<'} {self.high:.6g}"
        if self.high is None:
            return f"{'>' if self.above else '>='} {self.low:.6g}"
        return f"{self.low:.6g} to {self.high:.6g}"


def intervals(
    ends: Sequence[tuple[float, float]], *, whole: bool, log: bool = False
) -> list[Interval]:
    """Return intervals, one around each pair of a run's lowest and highest value.

    ``ends`` are in ascending order; the first interval is unbounded below, the last above.
    """
    cuts: list[tuple[float, float]] = []  # where one interval ends, and where the next begins
    for (_, last), (first, _) in pairwise(ends):
        if whole:
            cut = (int(last) + int(first)) // 2
            cuts.append((cut, cut + 1))
        else:
            short = short_between(float(last), float(first), log=log)
            cuts.append((short, short))
    lows = [None, *(low for _, low in cuts)]
    highs = [*(high for high, _ in cuts), None]
    return [Interval(low, high, up_to=whole) for low, high in zip(lows, highs, strict=True)]


def one_of(name: str, choices: Sequence[Any]) -> Node:
    """Return the condition that a parameter has one of these choices."""
    if len(choices) == 1:
        return Comparison(name, "==", choices[0])
    return Membership(name, tuple(choices), negated=False)


@dataclass(frozen=True, slots=True)
class Split:
    """One branch of a gate."""

    label: str
    test: Node  # of the gate's value
    children: tuple[str, ...]  # what it may switch on


# The conditions that may hold, simplified, each with its position among all.
_Pattern = tuple[tuple[int, Settled], ...]


def splits_of(
    space: Space, gate: str, children: Sequence[str], path: Node | None = None
) -> tuple[Split, ...]:
    """Return the branches of a gate: choices or intervals that switch on the same parameters.

    ``path`` is what already holds for other gates.
    """
    known = _by_name(path)
    # Each value of the gate is tested in every comparison, so equal ones are gathered.
    owned = [(c, gathered(entry.when.root)) for c in children for entry in space[c] if entry.when]
    domains = [entry.domain for entry in space[gate]]
    anywhere: list[int] = []  # places of conditions that may hold for any value
    only_for: dict[Any, list[int]] = {}
    for place, (_, root) in enumerate(owned):
        values = _values_needed(root, gate)
        if values is None:
            anywhere.append(place)
        for value in values or ():
            only_for.setdefault(value, []).append(place)

    def pattern(value: Any) -> _Pattern:
        places = sorted((*anywhere, *only_for.get(value, ())))
        left = ((p, simplified(owned[p][1], lambda leaf: decided(leaf, value))) for p in places)
        return tuple((place, root) for place, root in left if root is not False)

    def decided(leaf: Leaf, value: Any) -> Settled:
        if isinstance(leaf, ParameterComparison):
            return leaf
        if leaf.name == gate:
            return holds_for(leaf, value)
        return _simplify_given(
            leaf, known.get(leaf.name, ()), [one.domain for one in space[leaf.name]]
        )

    def active(conditions: _Pattern) -> tuple[str, ...]:
        here: dict[str, list[Settled]] = {}
        for place, root in conditions:
            here.setdefault(owned[place][0], []).append(root)
        return tuple(child for child in here if not _only_on_switched(here[child], here))

    found: list[Split] = []
    grouped: dict[_Pattern, list[Any]] = {}
    for choice in _choices(domains):
        grouped.setdefault(pattern(choice), []).append(choice)
    for conditions, together in grouped.items():
        found.append(Split(_choices_label(together), one_of(gate, together), active(conditions)))
    numeric = [domain for domain in domains if not isinstance(domain, Categorical)]
    if numeric:
        named = {n for _, root in owned for n in numbers_in(root, gate)}
        for interval, value in _intervals(numeric, named, pattern):
            label = _interval_label(interval, numeric)
            found.append(Split(label, interval.test(gate), active(pattern(value))))
    return tuple(found)


def _values_needed(root: Node, gate: str) -> frozenset[Any] | None:
    """Return the values of a gate for which alone a condition can hold; None if unknown."""
    if isinstance(root, Conjunction):
        found = (_values_needed(part, gate) for part in root.parts)
        return next((values for values in found if values is not None), None)
    if isinstance(root, Comparison) and root.name == gate and root.op == "==":
        return frozenset([root.value])
    if isinstance(root, Membership) and root.name == gate and not root.negated:
        return root.among
    return None


def _only_on_switched(roots: Sequence[Settled], here: Container[str]) -> bool:
    """Return whether all remaining conditions are about parameters that are switched here.

    A parameter with such conditions is listed in the branches of those parameters.
    """
    return all(
        not isinstance(root, bool) and any(name in here for name in names_of(root))
        for root in roots
    )


def _by_name(path: Node | None) -> dict[str, list[Comparison | Membership]]:
    """Return the comparisons with values that hold on a path, by parameter."""
    found: dict[str, list[Comparison | Membership]] = {}
    for part in path.parts if isinstance(path, Conjunction) else (path,):
        if isinstance(part, Comparison | Membership):
            found.setdefault(part.name, []).append(part)
    return found


def _simplify_given(
    leaf: Comparison | Membership,
    known: Sequence[Comparison | Membership],
    domains: Sequence[Domain],
) -> Settled:
    """Simplify a comparison, given others of the same parameter that hold."""
    if not known:
        return leaf
    values: list[Any] = list(_choices(domains))
    numeric = [domain for domain in domains if not isinstance(domain, Categorical)]
    if numeric:
        named = {n for test in (leaf, *known) for n in numbers_in(test)}
        low, high = min(d.low for d in numeric), max(d.high for d in numeric)
        pieces = _whole_pieces if all(isinstance(d, Int) for d in numeric) else _pieces
        inside = {number for number in named if low <= number <= high}
        values += [piece.value for piece in pieces(inside, low, high)]
    held = {holds_for(leaf, v) for v in values if all(holds_for(test, v) for test in known)}
    return leaf if len(held) != 1 else held.pop()


def holds_for(leaf: Comparison | Membership, value: Any) -> bool:
    """Return whether a comparison holds for a value."""
    if isinstance(leaf, Membership):
        return (value in leaf.among) is not leaf.negated
    try:
        return bool(COMPARE[leaf.op](value, leaf.value))
    except TypeError:  # a text compared with a number
        return False


def _choices(domains: Sequence[Domain]) -> Iterator[Any]:
    seen: set[tuple[type, Any]] = set()
    for domain in domains:
        for choice in domain.choices if isinstance(domain, Categorical) else ():
            if (type(choice), choice) not in seen:
                seen.add((type(choice), choice))
                yield choice


def _choices_label(choices: Sequence[Any]) -> str:
    labels = choice_labels(choices[:_MOST_CHOICES])
    more = len(choices) - len(labels)
    return " or ".join(labels) + (f" or {more} more" if more else "")


def _intervals(
    domains: Sequence[Numeric], named: set[float], pattern: Callable[[Any], _Pattern]
) -> Iterator[tuple[Interval, float]]:
    """Iterate over intervals that switch on the same parameters, each with a value inside."""
    low, high = min(d.low for d in domains), max(d.high for d in domains)
    whole = all(isinstance(domain, Int) for domain in domains)
    values = {value for value in named if low <= value <= high}
    pieces = _whole_pieces(values, low, high) if whole else _pieces(values, low, high)
    patterns = [pattern(piece.value) for piece in pieces]
    kept = [p for k, p in enumerate(pieces) if k == 0 or patterns[k] != patterns[k - 1]]
    if len(kept) == 1:
        yield Interval(low, None), kept[0].value
        return
    for piece, following in zip(kept, [*kept[1:], None], strict=True):
        first = piece is kept[0]
        if following is None:
            yield Interval(piece.start, None, above=piece.above), piece.value
        elif whole:
            start, end = None if first else piece.start, following.start - 1
            yield Interval(start, end, up_to=True), piece.value
        else:
            start = None if first else piece.start
            yield (
                Interval(start, following.start, above=piece.above, up_to=following.above),
                piece.value,
            )


@dataclass(frozen=True, slots=True)
class _Piece:
    """Values among which conditions do not change, given by their start and one of them."""

    start: float
    value: float
    above: bool = False  # whether ``start`` is excluded


def numbers_in(root: Node, name: str | None = None) -> Iterator[float]:
    """Iterate over the numbers that a condition compares a parameter (None: any) with."""
    for leaf in leaves(root):
        if isinstance(leaf, ParameterComparison) or name not in (leaf.name, None):
            continue
        for value in leaf.values if isinstance(leaf, Membership) else (leaf.value,):
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                yield value


def _pieces(values: set[float], low: float, high: float) -> list[_Piece]:
    """Return each value that conditions name, and the pieces between them."""
    edges = sorted({low, *values})
    found: list[_Piece] = []
    for edge, following in zip(edges, [*edges[1:], high], strict=True):
        found.append(_Piece(edge, edge))
        if edge < following:
            found.append(_Piece(edge, (edge + following) / 2, above=True))
    return found


def _whole_pieces(values: set[float], low: float, high: float) -> list[_Piece]:
    starts = {math.floor(low)}
    for value in values:
        starts |= {math.floor(value), math.ceil(value), math.floor(value) + 1}
    return [_Piece(start, start) for start in sorted(starts) if low <= start <= high]


def _interval_label(interval: Interval, domains: Sequence[Numeric]) -> str:
    if not all(isinstance(domain, Int) for domain in domains):
        return interval.label
    low = min(d.low for d in domains) if interval.low is None else interval.low
    high = max(d.high for d in domains) if interval.high is None else interval.high
    return f"{low:g}" if low == high else f"{low:g}..{high:g}"
