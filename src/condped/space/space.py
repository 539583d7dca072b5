"""A search space: for each parameter its domain, or several under conditions."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from condped.errors import ConditionError, SpaceError, not_found
from condped.safe_text import brief
from condped.space.condition import Condition
from condped.space.domain import Categorical, Domain, Float, Int, plain_domain
from condped.space.nodes import Comparison, Membership, ParameterComparison

_FIELDS = {
    "float": ("low", "high", "log", "step"),
    "int": ("low", "high", "log", "step"),
    "categorical": ("choices",),
}
_MOST_LISTED = 12
_TYPES = {"float": Float, "int": Int, "categorical": Categorical}


@dataclass(frozen=True, slots=True)
class Alternative:
    """A domain that a parameter has while a condition holds (``None``: always)."""

    domain: Domain
    when: Condition | None = None


def when(condition: str, domain: Domain) -> Alternative:
    """Give a parameter this domain while the condition holds.

    Parameters
    ----------
    condition
        A comparison of other parameters, such as ``"model == 'svm' and depth > 3"``.
    domain
        A :class:`Float`, :class:`Int` or :class:`Categorical`.

    Examples
    --------
    >>> space = Space({"c": Float(0, 1), "x": [when("c < 0.5", Float(-7, -2))]})
    >>> space["x"][0].when.text
    'c < 0.5'
    """
    if not isinstance(domain, (Float, Int, Categorical)):
        raise SpaceError(
            f"when() takes a condition and a domain such as Float(0, 1) (got {brief(domain)})."
        )
    return Alternative(domain, Condition.parse(condition))


@dataclass(frozen=True)
class Space(Mapping[str, tuple[Alternative, ...]]):
    """Parameters in order, each with its alternatives.

    Parameters
    ----------
    parameters
        By name: plain data (what a space file holds), a domain, :func:`when`, or a list of these.
    inferred
        Whether the domains were inferred from the trials.
    notes
        Remarks for the user, one sentence each.
    to_infer
        Parameters that a tool draws without bounds: their domains are inferred from the values. A
        name includes what is nested below it (``model`` for ``model/depth``).

    Examples
    --------
    >>> space = Space({"c": {"type": "float", "low": 0, "high": 1},
    ...                "k": {"type": "categorical", "choices": ["a", "b"], "when": "c < 0.5"}})
    >>> list(space)
    ['c', 'k']
    """

    parameters: Mapping[str, tuple[Alternative, ...]]
    inferred: bool = False
    notes: tuple[str, ...] = ()
    to_infer: tuple[str, ...] = ()

    def __init__(
        self,
        parameters: Mapping[str, Any],
        *,
        inferred: bool = False,
        notes: Sequence[str] = (),
        to_infer: Sequence[str] = (),
    ) -> None:
        if not isinstance(parameters, Mapping):
            raise SpaceError(
                f"A space must map parameter names to domains (got {type(parameters).__name__})."
            )
        read = {_name(name): _alternatives(name, entry) for name, entry in parameters.items()}
        if not inferred:  # an inferred domain may be constant
            for name, alternatives in read.items():
                for alternative in alternatives:
                    _check_domain(name, alternative.domain)
        object.__setattr__(self, "parameters", read)
        object.__setattr__(self, "inferred", inferred)
        object.__setattr__(self, "notes", tuple(notes))
        object.__setattr__(self, "to_infer", tuple(to_infer))
        allowed: dict[str, tuple[dict[Any, None], bool]] = {}
        for name, alternatives in read.items():
            for alternative in alternatives:
                if alternative.when is not None:
                    self._check(name, alternative.when, allowed)

    def __getitem__(self, name: str) -> tuple[Alternative, ...]:
        return self.parameters[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.parameters)

    def __len__(self) -> int:
        return len(self.parameters)

    def gates(self, names: Iterable[str]) -> set[str]:
        """Return the parameters that the conditions of these parameters name."""
        conditions = (entry.when for name in names for entry in self.parameters[name])
        return {gate for when in conditions if when is not None for gate in when.names}

    def to_dict(self) -> dict[str, Any]:
        """Return plain data that gives the same space again.

        A domain of a single value is written too, but raises when read: in a space written by hand
        it is a mistake.
        """
        plain: dict[str, Any] = {}
        for name, alternatives in self.parameters.items():
            entries = [_plain(alternative) for alternative in alternatives]
            plain[name] = entries[0] if len(entries) == 1 else entries
        return plain

    def _check(
        self, owner: str, condition: Condition, allowed: dict[str, tuple[dict[Any, None], bool]]
    ) -> None:
        """Raise if a condition names an unknown parameter or value: it would never hold.

        ``allowed`` keeps the choices of parameters from one condition to the next.
        """
        for leaf in condition.leaves():
            for name in leaf.names:
                if name not in self.parameters:
                    hint = not_found("parameter", name, self.parameters)
                    raise ConditionError(
                        f"The condition {brief(condition.text)} of {owner!r} names {name!r}. {hint}"
                    )
                if name == owner:
                    raise ConditionError(
                        f"The condition {brief(condition.text)} of {owner!r} depends on {owner!r} "
                        "itself. Name the parameter that activates it."
                    )
            if isinstance(leaf, ParameterComparison):
                for name in leaf.names:
                    self._check_numeric(owner, condition, name)
            else:
                if leaf.name not in allowed:
                    allowed[leaf.name] = _allowed_values(self.parameters[leaf.name])
                _check_values(owner, condition, leaf, allowed[leaf.name])

    def _check_numeric(self, owner: str, condition: Condition, name: str) -> None:
        for alternative in self.parameters[name]:
            domain = alternative.domain
            if isinstance(domain, Categorical) and not all(
                isinstance(choice, (int, float)) for choice in domain.choices
            ):
                raise ConditionError(
                    f"The condition {brief(condition.text)} of {owner!r} compares {name!r}, "
                    "which is not numeric, with a parameter. Compare it with a value instead."
                )


def _allowed_values(alternatives: Sequence[Alternative]) -> tuple[dict[Any, None], bool]:
    """Return the choices of a parameter, and whether it may also be a number."""
    domains = [alternative.domain for alternative in alternatives]
    choices = (c for d in domains if isinstance(d, Categorical) for c in d.choices)
    return dict.fromkeys(choices), any(not isinstance(domain, Categorical) for domain in domains)


def _check_values(
    owner: str,
    condition: Condition,
    leaf: Comparison | Membership,
    allowed: tuple[dict[Any, None], bool],
) -> None:
    """Raise if a condition compares a parameter with a value that it never has."""
    values = leaf.values if isinstance(leaf, Membership) else (leaf.value,)
    choices, numeric = allowed
    ordering = isinstance(leaf, Comparison) and leaf.op not in ("==", "!=")
    for value in values:
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        known = value in choices or (numeric and number)
        if ordering and number and any(isinstance(choice, (int, float)) for choice in choices):
            known = True
        if not known:
            fits = _listed(choices) if choices else "a number"
            raise ConditionError(
                f"The condition {brief(condition.text)} of {owner!r} compares {leaf.name!r} with "
                f"{brief(value)}, which it never equals. Allowed: {fits}."
            )


def _listed(choices: Collection[Any]) -> str:
    shown = ", ".join(map(brief, islice(choices, _MOST_LISTED)))
    more = len(choices) - _MOST_LISTED
    return f"one of [{shown}]" if more <= 0 else f"one of [{shown}, … {more:,} more]"


def _name(name: object) -> str:
    if not isinstance(name, str) or not name:
        raise SpaceError(f"Parameter names must be non-empty texts (got {brief(name)}).")
    return name


def _alternatives(name: str, entry: Any) -> tuple[Alternative, ...]:
    entries = list(entry) if isinstance(entry, (list, tuple)) else [entry]
    if not entries:
        raise SpaceError(f"Parameter {name!r} has an empty list of domains. Give at least one.")
    found = tuple(_alternative(name, one) for one in entries)
    if len(found) > 1 and any(alternative.when is None for alternative in found):
        raise SpaceError(
            f"Parameter {name!r} has {len(found)} domains, of which not all have a 'when'. "
            "Give each a condition, so that it is clear which one applies."
        )
    return found


def _alternative(name: str, entry: Any) -> Alternative:
    if isinstance(entry, Alternative):
        return entry
    if isinstance(entry, (Float, Int, Categorical)):
        return Alternative(entry)
    if not isinstance(entry, Mapping):
        raise SpaceError(
            f"The domain of {name!r} must be a mapping such as "
            f"{{'type': 'float', 'low': 0, 'high': 1}} or a domain (got {brief(entry)})."
        )
    kind = entry.get("type")
    if not isinstance(kind, str) or kind not in _FIELDS:
        raise SpaceError(
            f"The type of {name!r} must be one of float, int, categorical (got {brief(kind)})."
        )
    allowed = ("type", "when", *_FIELDS[kind])
    for key in entry:
        if key not in allowed:
            raise SpaceError(
                f"The {kind} domain of {name!r} has an unknown entry {brief(key)}. "
                f"Allowed: {', '.join(allowed)}."
            )
    # A null means "not given", as in many JSON files.
    fields = {key: entry[key] for key in _FIELDS[kind] if entry.get(key) is not None}
    for required in ("choices",) if kind == "categorical" else ("low", "high"):
        if required not in fields:
            raise SpaceError(f"The {kind} domain of {name!r} lacks {required!r}.")
    try:
        domain: Domain = _TYPES[kind](**fields)
    except SpaceError as error:
        raise SpaceError(f"Parameter {name!r}: {error}") from None
    condition = entry.get("when")
    try:
        return Alternative(domain, None if condition is None else Condition.parse(condition))
    except ConditionError as error:
        raise ConditionError(f"Parameter {name!r}: {error}") from None


def _check_domain(name: str, domain: Domain) -> None:
    """Raise if a domain can only be a mistake in a space written by hand."""
    if isinstance(domain, Categorical):
        _check_choices(name, domain.choices)
    elif domain.single:
        raise SpaceError(
            f"Parameter {name!r}: low must be below high, with room for a step (got "
            f"low={domain.low}, high={domain.high}, step={domain.step}). "
            "Leave a constant out of the space."
        )


def _check_choices(name: str, choices: tuple[Any, ...]) -> None:
    """Raise if choices are ambiguous, or if no table can hold them."""
    seen: set[Any] = set()
    for choice in choices:
        if isinstance(choice, float) and math.isnan(choice):
            raise SpaceError(
                f"Parameter {name!r} has the choice NaN, which a table cannot distinguish from a "
                "missing value. Name it, for example 'nan'."
            )
        if not _is_hashable(choice):
            raise SpaceError(
                f"Parameter {name!r} has the choice {brief(choice)} of type "
                f"{type(choice).__name__}. Allowed: texts, numbers, booleans, None."
            )
        if (type(choice), choice) in seen:
            raise SpaceError(f"Parameter {name!r} has the choice {brief(choice)} twice. Keep one.")
        seen.add((type(choice), choice))


def _is_hashable(choice: Any) -> bool:
    try:
        hash(choice)
    except TypeError:  # a tuple may hold a set
        return False
    return True


def _plain(alternative: Alternative) -> dict[str, Any]:
    plain = plain_domain(alternative.domain)
    return plain if alternative.when is None else {"when": alternative.when.text, **plain}
