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
from condped.space.nodes import Comparison, Conjunction, Membership, Node, names_of
from condped.space.space import Alternative, Space

_INDENT = "    "
# The path to a parameter: conditions that all must hold.
_Path = tuple[Node, ...]


def suggest_code(space: Space, unknown: Mapping[str, tuple[int, int]] | None = None) -> str:
    """Return the code of ``suggest(trial)``, which returns the drawn values by name.

    Comments leave parameters with ``unknown`` conditions to the user, saying how many of how many
    trials have them.
    """
    unknown = unknown or {}
    lines = ["def suggest(trial):", f"{_INDENT}p = {{}}"]
    open_path: _Path = ()
    names = in_order(space)
    places = {name: place for place, name in enumerate(names)}
    own_names = _own_names(space)
    queue = _Queue(names, space, [_path(space[name][0], space, places) for name in names])
    for _ in names:
        # Parameters of the same branch come next, so that they share one if.
        name = queue.next(open_path)
        if name in unknown:
            comment = _unknown_comment(name, space[name], own_names, *unknown[name])
            lines += [f"{_INDENT}# {line}" for line in comment]
            open_path = ()
            continue
        for entry in space[name]:
            path = _path(entry, space, places)
            shared = _shared_conditions(open_path, path)
            for depth in range(shared, len(path)):
                known = {*path[:depth]}
                drawn = partial(_guards, space, known, places, unknown)
                test = python_test(path[depth], _drawn_value, drawn)
                lines.append(f"{_INDENT * (depth + 1)}if {test}:")
            lines.append(f"{_INDENT * (len(path) + 1)}{_suggestion(name, entry, own_names)}")
            open_path = path
    return "\n".join([*lines, f"{_INDENT}return p"])


class _Queue:
    """Parameters that wait for their gates, found by the beginnings of their paths."""

    def __init__(self, names: Sequence[str], space: Space, paths: Sequence[_Path]) -> None:
        self._names, self._paths = names, paths
        self._missing = [set(gates_of(space[name])) for name in names]
        self._below: dict[str, list[int]] = {}
        self._waiting: dict[int, None] = dict.fromkeys(range(len(names)))
        self._ready: dict[_Path, list[int]] = {}  # heaps of those that have the same beginning
        for place, gates in enumerate(self._missing):
            for gate in gates:
                self._below.setdefault(gate, []).append(place)
            if not gates:
                self._add(place)

    def next(self, path: _Path) -> str:
        """Remove and return the first parameter that shares most with a path."""
        place = self._first(path)
        del self._waiting[place]
        for child in self._below.get(self._names[place], ()):
            self._missing[child].discard(self._names[place])
            if not self._missing[child]:
                self._add(child)
        return self._names[place]

    def _first(self, path: _Path) -> int:
        for length in range(len(path), -1, -1):
            heap = self._ready.get(path[:length], [])
            while heap:
                place = heappop(heap)
                if place in self._waiting:
                    return place
        # Gates form a cycle: take any that is left.
        return max(self._waiting, key=lambda place: _shared_conditions(path, self._paths[place]))

    def _add(self, place: int) -> None:
        for length in range(len(self._paths[place]) + 1):
            heappush(self._ready.setdefault(self._paths[place][:length], []), place)


def _unknown_comment(
    name: str,
    entries: Sequence[Alternative],
    own_names: Mapping[tuple[str, Alternative], str],
    active: int,
    trials: int,
) -> list[str]:
    """Return the comment on a parameter that takes the place of suggesting it."""
    label = text_inside(name)
    suggestions = [_suggestion(name, entry, own_names) for entry in entries]
    if active == trials:
        return [f"The domain of {label} varies for an unknown reason. Add your own:", *suggestions]
    return [
        f"The condition of {label} is unknown: it was active in {active} of {trials} trials. Add "
        "your own if:",
        "if ...:",
        *(f"{_INDENT}{one}" for one in suggestions),
    ]


def _path(entry: Alternative, space: Space, places: Mapping[str, int]) -> _Path:
    """Return the conditions that must hold for an alternative, the outermost gates first.

    A comparison holds only if its gate was drawn, so the conditions of the gate come before it.
    """
    if entry.when is None:
        return ()
    root = entry.when.root
    parts = root.parts if isinstance(root, Conjunction) else (root,)
    last = {part: max(places[name] for name in names_of(part)) for part in parts}
    found: dict[Node, None] = {}
    for part in sorted(parts, key=lambda part: last[part]):
        if isinstance(part, Comparison | Membership) and len(space[part.name]) == 1:
            found |= dict.fromkeys(_path(space[part.name][0], space, places))
        found[part] = None
    return tuple(found)


def _shared_conditions(one: _Path, other: _Path) -> int:
    """Return how many equal conditions both begin with."""
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


def _own_names(space: Space) -> dict[tuple[str, Alternative], str]:
    """Return names for alternatives that Optuna does not accept under one name.

    For each name it allows one kind of number, one scale, and one list of choices.
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
    note = "  # own name: Optuna allows one kind of domain per name" if own != name else ""
    if isinstance(domain, Categorical):
        if domain.single:
            return f"{left}{literal(domain.choices[0])}  # fixed"
        return f"{left}trial.suggest_categorical({quoted}, {literals(domain.choices)}){note}"
    kind = "int" if isinstance(domain, Int) else "float"
    extra = ", log=True" if domain.log else ""
    if domain.step is not None and not (isinstance(domain, Int) and domain.step == 1):
        extra += f", step={domain.step!r}"
    return f"{left}trial.suggest_{kind}({quoted}, {domain.low!r}, {domain.high!r}{extra}){note}"


def _guards(
    space: Space,
    known: set[Node],
    places: Mapping[str, int],
    unknown: Collection[str],
    names: Iterable[str],
) -> list[str]:
    """Return tests that parameters have been drawn, for those that may not have been."""
    unsure = [n for n in names if n in unknown or not _surely_drawn(n, space, known, places)]
    return [f"{literal(name)} in p" for name in unsure]


def _drawn_value(name: str) -> str:
    return f"p[{literal(name)}]"


def _surely_drawn(name: str, space: Space, known: set[Node], places: Mapping[str, int]) -> bool:
    """Return whether a parameter has surely been drawn where these conditions hold."""
    return any(set(_path(entry, space, places)) <= known for entry in space[name])
