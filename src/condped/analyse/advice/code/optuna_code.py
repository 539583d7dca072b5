"""A space as code for Optuna: a function that suggests, with ifs for conditions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from heapq import heappop, heappush
from typing import Any

from condped.analyse.advice.code.python_text import literal, literals, python_test, text_inside
from condped.analyse.advice.narrow import in_order
from condped.analyse.branches.structure import gates_of
from condped.space.domain import Categorical, Domain, Int
from condped.space.nodes import Both, Comparison, Membership, Node, names_of
from condped.space.space import Alternative, Space

_INDENT = "    "
# A way to a parameter: conditions that all have to hold.
_Way = tuple[Node, ...]


def suggest_code(space: Space, unknown: Mapping[str, tuple[int, int]] | None = None) -> str:
    """Return the text of ``suggest(trial)``, which returns the drawn values by name.

    Parameters with ``unknown`` conditions, given with how many of how many trials have them, are
    left to the user in a comment.
    """
    unknown = unknown or {}
    lines = ["def suggest(trial):", f"{_INDENT}p = {{}}"]
    open_ways: _Way = ()
    names = in_order(space)
    places = {name: place for place, name in enumerate(names)}
    own_names = _own_names(space)
    queue = _Queue(names, space, [_way(space[name][0], space, places) for name in names])
    for _ in names:
        # What goes on in the same branch comes first, so that it stands under one if.
        name = queue.next(open_ways)
        if name in unknown:
            comment = _left_open(name, space[name], own_names, *unknown[name])
            lines += [f"{_INDENT}# {line}" for line in comment]
            open_ways = ()
            continue
        for entry in space[name]:
            way = _way(entry, space, places)
            shared = _shared(open_ways, way)
            for depth in range(shared, len(way)):
                known = {*way[:depth]}
                drawn = partial(_unsure, space, known, places, unknown)
                test = python_test(way[depth], _drawn_value, drawn)
                lines.append(f"{_INDENT * (depth + 1)}if {test}:")
            lines.append(f"{_INDENT * (len(way) + 1)}{_suggestion(name, entry, own_names)}")
            open_ways = way
    return "\n".join([*lines, f"{_INDENT}return p"])


class _Queue:
    """Parameters that wait for their gates, found by the beginnings of their ways."""

    def __init__(self, names: Sequence[str], space: Space, ways: Sequence[_Way]) -> None:
        self._names, self._ways = names, ways
        self._missing = [set(gates_of(space[name])) for name in names]
        self._below: dict[str, list[int]] = {}
        self._waiting: dict[int, None] = dict.fromkeys(range(len(names)))
        self._ready: dict[_Way, list[int]] = {}  # heaps of those that have the same beginning
        for place, gates in enumerate(self._missing):
            for gate in gates:
                self._below.setdefault(gate, []).append(place)
            if not gates:
                self._add(place)

    def next(self, way: _Way) -> str:
        """Return the first parameter that shares most with a way, and forget it."""
        place = self._first(way)
        del self._waiting[place]
        for child in self._below.get(self._names[place], ()):
            self._missing[child].discard(self._names[place])
            if not self._missing[child]:
                self._add(child)
        return self._names[place]

    def _first(self, way: _Way) -> int:
        for length in range(len(way), -1, -1):
            heap = self._ready.get(way[:length], [])
            while heap:
                place = heappop(heap)
                if place in self._waiting:
                    return place
        # Gates in a circle: whatever is left.
        return max(self._waiting, key=lambda place: _shared(way, self._ways[place]))

    def _add(self, place: int) -> None:
        for length in range(len(self._ways[place]) + 1):
            heappush(self._ready.setdefault(self._ways[place][:length], []), place)


def _left_open(
    name: str,
    entries: Sequence[Alternative],
    own_names: Mapping[tuple[str, Alternative], str],
    active: int,
    trials: int,
) -> list[str]:
    """Return what the code says of a parameter in place of suggesting it."""
    shown = text_inside(name)
    suggestions = [_suggestion(name, entry, own_names) for entry in entries]
    if active == trials:
        return [f"The domain of {shown} varies, and why is unknown. Put in your own:", *suggestions]
    return [
        f"The condition of {shown} is unknown: it was active in {active} of {trials} trials. Put "
        "in your own if:",
        "if ...:",
        *(f"{_INDENT}{one}" for one in suggestions),
    ]


def _way(entry: Alternative, space: Space, places: Mapping[str, int]) -> _Way:
    """Return what has to hold for an alternative, the outermost gates first.

    A comparison holds only where its gate has been drawn: what that takes comes before it.
    """
    if entry.when is None:
        return ()
    root = entry.when.root
    parts = root.parts if isinstance(root, Both) else (root,)
    last = {part: max(places[name] for name in names_of(part)) for part in parts}
    found: dict[Node, None] = {}
    for part in sorted(parts, key=lambda part: last[part]):
        if isinstance(part, Comparison | Membership) and len(space[part.name]) == 1:
            found |= dict.fromkeys(_way(space[part.name][0], space, places))
        found[part] = None
    return tuple(found)


def _shared(one: _Way, other: _Way) -> int:
    """Return with how many equal conditions both begin."""
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


def _own_names(space: Space) -> dict[tuple[str, Alternative], str]:
    """Return names for alternatives that Optuna does not take under one name.

    It holds a name to one kind of number, one scale, and one list of choices.
    """
    found: dict[tuple[str, Alternative], str] = {}
    taken = set(space)
    for name, entries in space.items():
        drawn = [entry for entry in entries if not entry.domain.single]
        if all(_kind(entry.domain) == _kind(drawn[0].domain) for entry in drawn):
            continue
        for entry in drawn:
            own = f"{name} ({entry.when.text})" if entry.when else name
            while entry.when and own in taken:
                own += "_"
            taken.add(own)
            found[name, entry] = own
    return found


def _kind(domain: Domain) -> tuple[Any, ...]:
    if isinstance(domain, Categorical):
        return (Categorical, *((type(choice), choice) for choice in domain.choices))
    return (type(domain), domain.log)


def _suggestion(
    name: str, entry: Alternative, own_names: Mapping[tuple[str, Alternative], str]
) -> str:
    domain, own = entry.domain, own_names.get((name, entry), name)
    left, quoted = f"p[{literal(name)}] = ", literal(own)
    note = "  # named apart: Optuna allows a name one kind of domain" if own != name else ""
    if isinstance(domain, Categorical):
        if domain.single:
            return f"{left}{literal(domain.choices[0])}  # fixed"
        return f"{left}trial.suggest_categorical({quoted}, {literals(domain.choices)}){note}"
    kind = "int" if isinstance(domain, Int) else "float"
    extra = ", log=True" if domain.log else ""
    if domain.step is not None and not (isinstance(domain, Int) and domain.step == 1):
        extra += f", step={domain.step!r}"
    return f"{left}trial.suggest_{kind}({quoted}, {domain.low!r}, {domain.high!r}{extra}){note}"


def _unsure(
    space: Space,
    known: set[Node],
    places: Mapping[str, int],
    unknown: Collection[str],
    names: Iterable[str],
) -> list[str]:
    """Return the tests that parameters have been drawn, of those of which it is not sure."""
    unsure = [n for n in names if n in unknown or not _drawn(n, space, known, places)]
    return [f"{literal(name)} in p" for name in unsure]


def _drawn_value(name: str) -> str:
    return f"p[{literal(name)}]"


def _drawn(name: str, space: Space, known: set[Node], places: Mapping[str, int]) -> bool:
    """Return whether a parameter has surely been drawn where these conditions hold."""
    return any(set(_way(entry, space, places)) <= known for entry in space[name])
