"""A space as code for Optuna: a function that suggests, with ifs for conditions."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from condped.analyse.advice.narrow import in_order
from condped.analyse.branches.structure import gates_of
from condped.space.condition import Between, Both, Comparison, Either, Membership, Negation, Node
from condped.space.domain import Categorical, Domain, Int
from condped.space.simplify import condition_of
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
    todo = in_order(space)
    places = {name: place for place, name in enumerate(todo)}
    done: set[str] = set()
    own_names = _own_names(space)
    while todo:
        ready = [name for name in todo if done.issuperset(gates_of(space[name]))]
        # What goes on in the same branch comes first, so that it stands under one if.
        name = max(
            ready or todo, key=lambda one: _shared(open_ways, _way(space[one][0], space, places))
        )
        todo.remove(name)
        done.add(name)
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
                test = _python(way[depth], space, known, places, unknown)
                lines.append(f"{_INDENT * (depth + 1)}if {test}:")
            lines.append(f"{_INDENT * (len(way) + 1)}{_suggestion(name, entry, own_names)}")
            open_ways = way
    return "\n".join([*lines, f"{_INDENT}return p"])


def _left_open(
    name: str,
    entries: Sequence[Alternative],
    own_names: Mapping[tuple[str, Alternative], str],
    active: int,
    trials: int,
) -> list[str]:
    """Return what the code says of a parameter in place of suggesting it."""
    shown = "".join(map(_character, name))
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
    last = {part: max(places[name] for name in condition_of(part).names) for part in parts}
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
    left, quoted = f"p[{_literal(name)}] = ", _literal(own)
    note = "  # named apart: Optuna allows a name one kind of domain" if own != name else ""
    if isinstance(domain, Categorical):
        if domain.single:
            return f"{left}{_literal(domain.choices[0])}  # fixed"
        return f"{left}trial.suggest_categorical({quoted}, {_list(domain.choices)}){note}"
    kind = "int" if isinstance(domain, Int) else "float"
    extra = ", log=True" if domain.log else ""
    if domain.step is not None and not (isinstance(domain, Int) and domain.step == 1):
        extra += f", step={domain.step!r}"
    return f"{left}trial.suggest_{kind}({quoted}, {domain.low!r}, {domain.high!r}{extra}){note}"


def _literal(value: Any) -> str:
    """Return a value in Python, texts in double quotes and on one line."""
    if isinstance(value, str):
        return f'"{"".join(map(_character, value))}"'
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    return repr(value)


def _character(one: str) -> str:
    """Return a character as it stands in double quotes."""
    if one in '"\\':
        return f"\\{one}"
    return one if one.isprintable() else one.encode("unicode_escape").decode("ascii")


def _list(values: Sequence[Any]) -> str:
    return f"[{', '.join(map(_literal, values))}]"


def _python(
    node: Node,
    space: Space,
    known: set[Node],
    places: Mapping[str, int],
    unknown: Collection[str],
) -> str:
    """Return a condition in Python; a comparison with what was not drawn does not hold."""
    if isinstance(node, Negation):
        return f"not ({_python(node.part, space, known, places, unknown)})"
    if isinstance(node, Both | Either):
        word = " and " if isinstance(node, Both) else " or "
        parts = (_python(part, space, known, places, unknown) for part in node.parts)
        return word.join(f"({part})" for part in parts)
    names = (node.name, node.other) if isinstance(node, Between) else (node.name,)
    if isinstance(node, Between):
        test = f"{_drawn_value(node.name)} {node.op} {_drawn_value(node.other)}"
    elif isinstance(node, Membership):
        word = "not in" if node.negated else "in"
        test = f"{_drawn_value(node.name)} {word} {_list(node.values)}"
    elif isinstance(node, Comparison):
        equal = node.value is None or isinstance(node.value, bool)
        op = {"==": "is", "!=": "is not"}.get(node.op, node.op) if equal else node.op
        test = f"{_drawn_value(node.name)} {op} {_literal(node.value)}"
    sure = (name for name in names if name not in unknown)
    drawn = {name for name in sure if _drawn(name, space, known, places)}
    unsure = [name for name in names if name not in drawn]
    return " and ".join([*(f"{_literal(name)} in p" for name in unsure), test])


def _drawn_value(name: str) -> str:
    return f"p[{_literal(name)}]"


def _drawn(name: str, space: Space, known: set[Node], places: Mapping[str, int]) -> bool:
    """Return whether a parameter has surely been drawn where these conditions hold."""
    return any(set(_way(entry, space, places)) <= known for entry in space[name])
