"""Optuna studies in memory, as columns, without importing Optuna.

Every trial holds its own distribution objects, so domains are distinguished by their values, column
by column, without an object per trial.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from numbers import Real
from operator import attrgetter, itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from condped.arrays import FloatArray, IntArray, ValueArray
from condped.errors import CondpedError, DataError, SettingsError
from condped.read.options import ReadOptions
from condped.read.optuna.drawing import drawing_of, times_of
from condped.read.optuna.objective import STUDY, MemoryAttributes, explained_table
from condped.read.optuna.records import STATES, StudyRecords, Violations
from condped.safe_text import brief
from condped.space.domain import Categorical, Domain, Float, Int, frozen_choice, is_whole
from condped.trials.course.drawing import MOST_RECORDED
from condped.trials.table import (
    ABSENT,
    Parameter,
    State,
    TrialTable,
    all_complete,
    id_dtype,
)

# Trials at a time: their objects stay in the CPU cache while each column is extracted, which saves
# a third of the time.
_BLOCK = 2048
_BOUNDS = attrgetter("low", "high", "log", "step")
# Raised by trials that Optuna's own studies would reject.
_IMPOSSIBLE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


def read(study: Any, options: ReadOptions) -> TrialTable:
    """Return a study's trials."""
    options.refuse(STUDY, "study", "order")
    if options.objective is not None and options.loss is not None:
        raise SettingsError("Give either loss or objective, not both.")
    trials = study.get_trials(deepcopy=False)
    blocks = _Blocks(trials, len(study.directions))
    for start in range(0, len(trials), _BLOCK):
        block = trials[start : start + _BLOCK]
        try:
            blocks.add(start, block)
        except _IMPOSSIBLE as error:
            raise _impossible_trial(start, block, len(study.directions)) from error
    table = StudyRecords(
        trial_ids=np.arange(len(trials)),
        states=_states(trials, blocks.states),
        directions=[direction.name for direction in study.directions],
        metrics=study.metric_names,
        values=blocks.values,
        violations=Violations.of(
            np.arange(len(trials)), constraints_of(trials) if blocks.constrained else ()
        ),
        times=times_of(trials),
        recorded=drawing_of(study, trials) if len(trials) <= MOST_RECORDED else None,
    ).table(tuple(entry.parameter(len(trials)) for entry in blocks.parameters.values()))
    if callable(options.loss):
        table = table.with_loss(losses_of(trials, options.loss))
        options = replace(options, loss=None)
    return explained_table(table, options, MemoryAttributes(trials))


class _Blocks:
    """Columns of a study, collected block by block."""

    def __init__(self, trials: Sequence[Any], objectives: int) -> None:
        self.get = {
            name: _getter(trials, name)
            for name in ("values", "params", "distributions", "system_attrs")
        }
        self.states = np.zeros(len(trials), dtype=np.int64)  # Optuna's numbers
        self.values = np.full((len(trials), objectives), np.nan)
        self.constrained = False  # whether any trial has constraints
        self.parameters: dict[str, _ParameterColumn] = {}

    def add(self, start: int, block: Sequence[Any]) -> None:
        """Add a block of trials, the first of which is number ``start``."""
        rows = slice(start, start + len(block))
        states = list(map(attrgetter("state"), block))
        if states.count(states[0]) < len(states):
            self.states[rows] = states
        else:
            self.states[rows] = states[0]
        objectives = self.values.shape[1]
        recorded = list(map(self.get["values"], block))
        if None in recorded:
            nothing = [np.nan] * objectives
            recorded = [values or nothing for values in recorded]
        if set(map(len, recorded)) != {objectives}:
            raise ValueError("not one value per direction")
        flat = _numbers(list(chain.from_iterable(recorded)))
        self.values[rows] = flat.reshape(len(block), objectives)
        keys = set().union(*map(self.get["system_attrs"], block))
        self.constrained |= any(key.startswith("constraints") for key in keys)
        values = list(map(self.get["params"], block))
        distributions = list(map(self.get["distributions"], block))
        found = sum(entry.add(start, values, distributions) for entry in self.parameters.values())
        if found < sum(map(len, distributions)):  # there are new names among them
            for name in dict.fromkeys(chain.from_iterable(distributions)):
                if name not in self.parameters:
                    self.parameters[name] = entry = _ParameterColumn(name)
                    entry.add(start, values, distributions)


def _impossible_trial(start: int, block: Sequence[Any], objectives: int) -> CondpedError:
    """Return the error for the first trial of a block that cannot be read."""
    for row, trial in enumerate(block, start):
        try:
            _Blocks([trial], objectives).add(0, [trial])
        except CondpedError as error:
            return error
        except _IMPOSSIBLE:
            what = _impossible_entry(trial, objectives)
            return DataError(
                f"Trial {row} of the study cannot be read: {what}. Optuna itself rejects such "
                "trials: leave it out, or correct it.",
                first_row=row,
            )
    return DataError("The trials of the study cannot be read together. Read them one by one.")


def _impossible_entry(trial: Any, objectives: int) -> str:
    """Describe what cannot be read in a trial."""
    for name, value in trial.params.items():
        try:
            _ParameterColumn(name).add(0, [trial.params], [trial.distributions])
        except _IMPOSSIBLE:
            distribution = brief(trial.distributions.get(name))
            return f"its parameter {brief(name)} is {brief(value)}, which is not in {distribution}"
    expected = "1 number" if objectives == 1 else f"{objectives} numbers"
    return f"its values must be {expected} (got {brief(trial.values)})"


def _numbers(values: list[Any]) -> FloatArray:
    """Return numbers as an array; raise for anything else, such as texts of numbers."""
    if not set(map(type, values)) <= {float, int} and not all(isinstance(v, Real) for v in values):
        raise TypeError("not a number")
    return np.fromiter(values, np.float64, len(values))


def _whole_numbers(values: list[Any]) -> IntArray:
    """Return integers as an array; raise for numbers with a fraction."""
    if set(map(type, values)) != {int} and any(value != int(value) for value in values):
        raise ValueError("not an integer")
    return np.fromiter(values, np.int64, len(values))


def _getter(trials: Sequence[Any], name: str) -> Callable[[Any], Any]:
    """Return a function that gets a property of a trial, without calling Python code if possible.

    FrozenTrial keeps what these properties return under the same name with an underscore.
    """
    kept = f"_{name}"
    direct = bool(trials) and getattr(trials[0], kept, None) is getattr(trials[0], name)
    return attrgetter(kept if direct else name)


def _states(trials: Sequence[Any], numbers: IntArray) -> npt.NDArray[np.int8]:
    if not trials:
        return all_complete(0)
    meaning = {int(kind): STATES[kind.name] for kind in type(trials[0].state)}
    if all(meaning[number] is State.COMPLETE for number in np.unique(numbers).tolist()):
        return all_complete(len(trials))
    return np.array([meaning.get(n, -1) for n in range(max(meaning) + 1)], dtype=np.int8)[numbers]


def losses_of(trials: Sequence[Any], loss: Callable[[Any], float]) -> FloatArray:
    """Call the user's function on finished trials; others have no values."""
    values = np.full(len(trials), np.nan)
    for place, trial in enumerate(trials):
        if trial.state.name == "COMPLETE":
            value = loss(trial)
            try:
                values[place] = float(value)
            except (TypeError, ValueError):
                raise DataError(
                    f"loss must return a number (got {brief(value)} for trial {trial.number}).",
                    first_row=place,
                ) from None
    return values


def constraints_of(trials: Sequence[Any]) -> Iterator[tuple[int, str, Any]]:
    """Iterate over the constraints of trials in memory."""
    for row, trial in enumerate(trials):
        try:
            recorded = getattr(trial, "constraints", None)
            found = None if recorded is None else dict(recorded)
        except (TypeError, ValueError):
            kept = trial.system_attrs.get("constraints")
            raise DataError(
                f"Trial {row} of the study records constraints as {brief(kept)}. They must "
                "be numbers, above 0 if the constraint is violated. Correct the trial.",
                first_row=row,
            ) from None
        if found is None:  # Optuna 4 has no public name for them
            yield row, "constraints", trial.system_attrs.get("constraints")
        else:
            for name, value in found.items():
                yield row, f"constraints:{name}", value


class _ParameterColumn:
    """One parameter's values and domains, block by block."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.known = _DomainIndex()
        self.rows: list[slice | IntArray] = []
        self.places: list[IntArray] = []
        self.values: list[ValueArray] = []

    def add(
        self, start: int, values: list[dict[str, Any]], distributions: list[dict[str, Any]]
    ) -> int:
        """Add the parameter of a block of trials, and return how many have it."""
        name = self.name
        try:  # most parameters are in all trials, and checking first would cost a pass
            active = list(map(itemgetter(name), distributions))
            self.rows.append(slice(start, start + len(active)))
        except KeyError:
            present = [i for i, mapping in enumerate(distributions) if name in mapping]
            if not present:
                return 0
            active = [distributions[i][name] for i in present]
            values = [values[i] for i in present]
            self.rows.append(start + np.array(present))
        places = self.known.places(active)
        self.places.append(places)
        try:
            found = self.known.values_of(map(itemgetter(name), values), places)
        except OverflowError:  # storages return the highest int64 as 2^63
            whole = (mapping[name] for mapping in values)
            held = (value - 1 if value == 2**63 else value for value in whole)
            found = self.known.values_of(held, places)
        self.values.append(found)
        return len(active)

    def parameter(self, trials: int) -> Parameter:
        """Return the parameter from all blocks."""
        domains = tuple(self.known.domains)
        values = np.zeros(trials, dtype=np.result_type(*self.values))
        ids = np.full(trials, ABSENT, dtype=id_dtype(len(domains)))
        for rows, places, found in zip(self.rows, self.places, self.values, strict=True):
            ids[rows] = places
            values[rows] = found
        if len(domains) == 1 and sum(map(len, self.places)) == trials:
            ids = np.broadcast_to(ids.dtype.type(0), trials)
        return Parameter(self.name, values, ids, domains)


class _DomainIndex(dict[Any, int]):
    """From a distribution's key to the position of its domain; new keys are added."""

    def __init__(self) -> None:
        super().__init__()
        self.domains: dict[Domain, int] = {}
        self.coders: list[Callable[[Any], float]] = []  # one per domain
        self.types: set[type] = set()  # of the domains
        self.kind: type | None = None  # of distribution, for keys without it

    def places(self, active: Sequence[Any]) -> IntArray:
        """Return each distribution's position among the domains, in order of appearance."""
        kinds = set(map(type, active))
        self.kind = self.kind or next(iter(kinds))
        keys: Iterator[Any] = map(_key, active)
        # If possible: one chain of C functions, without a Python step per trial.
        if kinds == {self.kind}:
            if not self.kind.__name__.startswith("Categorical"):
                keys = map(_BOUNDS, active)
            elif (texts := _text_choices(active)) is not None:
                distinct = {choices: self[_choices_key(choices)] for choices in set(texts)}
                return np.fromiter(map(distinct.__getitem__, texts), np.int64, len(active))
        return np.fromiter(map(self.__getitem__, keys), np.int64, len(active))

    def __missing__(self, key: tuple[Any, ...]) -> int:
        domain = _domain((self.kind, *key) if len(key) == 4 else key)
        self[key] = place = self.domains.setdefault(domain, len(self.domains))
        if place == len(self.coders):
            self.coders.append(_coder(domain))
            self.types.add(type(domain))
        return place

    def values_of(self, found: Iterator[Any], places: IntArray) -> ValueArray:
        """Return the values as numbers; choices as their positions."""
        values = list(found)
        if self.types == {Int} and is_whole(tuple(self.domains)):
            return _whole_numbers(values)
        if Categorical not in self.types:
            return _numbers(values)
        if len(self.domains) == 1 and (positions := _text_positions(*self.domains)) is not None:
            try:
                return np.fromiter(map(positions.__getitem__, values), np.int32, len(values))
            except (KeyError, TypeError):
                pass  # a choice of another type, which is looked up with more care
        coders = self.coders
        coded = (coders[place](value) for value, place in zip(values, places.tolist(), strict=True))
        dtype = np.int32 if self.types == {Categorical} else np.float64
        return np.fromiter(coded, dtype, len(places))


def _key(distribution: Any) -> tuple[Any, ...]:
    if not hasattr(distribution, "choices"):
        return (type(distribution), *_BOUNDS(distribution))
    choices = distribution.choices
    try:
        same = choices == choices and bool(hash(choices) + 1)  # noqa: PLR0124  (NaN, lists)
    except TypeError:
        same = False
    if not same:
        choices = Categorical(choices).choices
    return _choices_key(choices)


def _choices_key(choices: tuple[Any, ...]) -> tuple[Any, ...]:
    # With the types: True == 1 == 1.0 would share a key.
    return (Categorical, choices, tuple(map(type, choices)))


def _text_choices(active: Sequence[Any]) -> list[tuple[str, ...]] | None:
    """Return the choices of each distribution if all are texts, which only equal texts."""
    found = list(map(attrgetter("choices"), active))
    try:
        texts = all(type(choice) is str for choices in set(found) for choice in choices)
    except TypeError:  # lists among the choices
        return None
    return found if texts else None


def _text_positions(domain: Domain) -> dict[str, int] | None:
    """Return the position of each choice of a domain if all are texts."""
    if not isinstance(domain, Categorical) or any(type(c) is not str for c in domain.choices):
        return None
    return {choice: place for place, choice in enumerate(domain.choices)}


def _domain(key: tuple[Any, ...]) -> Domain:
    if key[0] is Categorical:
        return Categorical(key[1])
    kind, low, high, log, step = key
    return (
        Int(low, high, log, step)
        if kind.__name__.startswith("Int")
        else Float(low, high, log, step)
    )


def _coder(domain: Domain) -> Callable[[Any], float]:
    """Return a function from a choice to its position; numbers stay unchanged."""
    if not isinstance(domain, Categorical):
        return lambda value: float(_numbers([value])[0])
    # The first of equal choices, as in Optuna, which does not distinguish True from 1 either.
    places = {c: place for place, c in reversed(list(enumerate(domain.choices)))}

    def code(value: Any) -> int:
        place: int | None = places.get(frozen_choice(value))
        if place is not None:
            return place
        # NaN does not equal itself: compare the texts of what has the same type.
        alike = (isinstance(value, type(c)) and str(c) == str(value) for c in domain.choices)
        return list(alike).index(True)

    return code
