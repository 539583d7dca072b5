"""Keras Tuner's hyperparameters as a space; conditional scopes become conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from condped.errors import SpaceError
from condped.read.tools.nested_spaces import distinct_choices
from condped.space.domain import Categorical, Domain, Float, Int
from condped.space.nodes import Comparison, Membership, Node
from condped.space.simplify import alternative, condition_of, conjunction
from condped.space.space import Alternative, Space


def space_of(source: Any) -> Space:
    """Return the space of a ``HyperParameters``, or of the JSON that Keras Tuner writes for it.

    Fixed hyperparameters are not parameters. One that occurs in several scopes has each scope's
    domain there.
    """
    plain = source if isinstance(source, Mapping) else source.get_config()
    listed = plain.get("space")
    if not isinstance(listed, Sequence) or isinstance(listed, str):
        raise SpaceError(
            "Keras Tuner's hyperparameters must have a list 'space' (got "
            f"{type(listed).__name__}). Pass the HyperParameters, or give a space."
        )
    return _Hyperparameters(listed).space()


class _Hyperparameters:
    """The entries of Keras Tuner's list: domains, constants, and their scopes."""

    def __init__(self, listed: Sequence[Any]) -> None:
        self.notes: list[str] = []
        self.constants: dict[str, Any] = {}
        self.domains: dict[str, list[tuple[Domain, Any]]] = {}
        for entry in listed:
            try:
                self._add(str(entry["class_name"]), entry["config"])
            except (KeyError, TypeError, ValueError) as error:
                raise SpaceError(
                    f"A hyperparameter of Keras Tuner cannot be read ({error!r}): "
                    f"{str(entry)[:80]}. Give the domains as a space."
                ) from error

    def _add(self, kind: str, fields: Mapping[str, Any]) -> None:
        name = fields["name"]
        if not isinstance(name, str):
            raise TypeError("its name is not a string")
        domain = None if kind == "Fixed" else self._domain(kind, name, fields)
        if domain is None or domain.single:
            self.constants[name] = fields["value"] if domain is None else _only_value(domain)
            if domain is not None:
                self.notes.append(f"{name}: left out, since it has a single value: {domain.label}.")
            return
        conditions = fields.get("conditions") or ()
        if not isinstance(conditions, Sequence):
            raise TypeError("its conditions are not a list")
        self.domains.setdefault(name, []).append((domain, conditions))

    def _domain(self, kind: str, name: str, fields: Mapping[str, Any]) -> Domain:
        if kind == "Choice":
            return distinct_choices(fields["values"])
        if kind == "Boolean":
            return Categorical((False, True))
        if kind not in ("Int", "Float"):
            raise ValueError(f"unknown kind {kind!r}")
        low, high, step = fields["min_value"], fields["max_value"], fields.get("step")
        sampling = fields.get("sampling") or "linear"
        if sampling == "reverse_log":
            self.notes.append(f"{name}: taken as linear, though drawn on a reversed log scale.")
        log = sampling == "log"
        if log and step is not None:  # a factor
            self.notes.append(f"{name}: its steps are left out, as it is on a log scale.")
            step = None
        if kind == "Int":
            return Int(low, high, log=log, step=1 if step is None or log else step)
        return Float(low, high, log=log, step=step)

    def space(self) -> Space:
        """Return the parameters with their conditions, those that can be active."""
        found: dict[str, list[Alternative]] = {}
        for name, scopes in self.domains.items():
            places: dict[Domain, list[Node | None]] = {}
            for domain, conditions in scopes:
                reached, node = self._condition(conditions)
                if reached:
                    places.setdefault(domain, []).append(node)
            if not places:
                self.notes.append(f"{name}: left out, since its conditions never hold.")
            elif len(places) > 1 and any(None in nodes for nodes in places.values()):
                raise SpaceError(
                    f"{name!r} has {len(places)} domains, one of them without a condition. Give "
                    "the domains as a space."
                )
            else:
                found[name] = [_alternative(d, nodes) for d, nodes in places.items()]
        return Space(found, notes=self.notes)

    def _condition(self, conditions: Any) -> tuple[bool, Node | None]:
        """Return whether all conditions of a scope can hold, and all as one; None: always."""
        tests: list[Node] = []
        for condition in conditions:
            try:
                parent = str(condition["config"]["name"])
                values = list(condition["config"]["values"])
            except (KeyError, TypeError) as error:
                raise SpaceError(
                    f"A condition of Keras Tuner cannot be read (got {str(condition)[:80]}). "
                    "Give the domains as a space."
                ) from error
            if parent in self.constants:
                if self.constants[parent] not in values:
                    return False, None
                continue
            held = [v for v in values if any(_holds(d, v) for d, _ in self.domains.get(parent, ()))]
            if not held:
                return False, None
            tests.append(
                Comparison(parent, "==", held[0])
                if len(held) == 1
                else Membership(parent, tuple(held), negated=False)
            )
        return True, conjunction(*tests)


def _alternative(domain: Domain, nodes: Sequence[Node | None]) -> Alternative:
    known = [node for node in nodes if node is not None]
    if len(known) < len(nodes):
        return Alternative(domain)
    return Alternative(domain, condition_of(alternative(known)))


def _holds(domain: Domain, value: Any) -> bool:
    if isinstance(domain, Categorical):
        return value in domain.choices
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return number and domain.low <= value <= domain.high


def _only_value(domain: Domain) -> Any:
    return domain.choices[0] if isinstance(domain, Categorical) else domain.low
