"""Hyperopt's Trials in memory: documents with the values that were active, by label.

For a choice Hyperopt records the position. A space lists the choices in that order, whether it is
the one that was passed to ``fmin`` or written by hand.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from condped.errors import DataError, SpaceError
from condped.read.frames.mappings import flat
from condped.read.options import ReadOptions
from condped.read.table.build import build_runs
from condped.read.table.raw import RawRuns, RawTable
from condped.read.table.state_words import state_of
from condped.read.tools.drawing import recorded_times
from condped.read.tools.nested_spaces import Test, reached_by
from condped.space.domain import Categorical, Domain, Float, Int
from condped.space.space import Alternative, Space
from condped.trials.table import State, TrialTable

_SOURCE = "a Trials of Hyperopt"
_DONE, _ERROR, _CANCEL = 2, 3, 4  # Hyperopt's numbers for the states of jobs; 0 and 1: not ended
BranchPath: TypeAlias = tuple[Test, ...]
_NORMAL = ("normal", "qnormal", "lognormal", "qlognormal")
_ARGUMENTS = {
    "hyperopt_param": ("label", "obj"),
    "randint": ("low", "high"),
    "categorical": ("p",),
    **dict.fromkeys(("uniform", "loguniform", "quniform", "qloguniform"), ("low", "high", "q")),
}
_NOT_PLAIN = object()


def read(source: Any, options: ReadOptions) -> TrialTable:
    """Return one trial per document, including those whose evaluation raised an error."""
    options.refuse(_SOURCE, "study", "budget")
    documents = _documents(source)
    notes = []
    if options.space is None:
        notes.append(
            "Without a space the choices of hp.choice are known by their positions only, taken as "
            "integers. Pass the space that was given to fmin to name them."
        )
    values = [_values(document) for document in documents]
    return build_runs(
        RawRuns(
            parameters=RawTable.of_records(_decode_choices(values, options.space)),
            metrics=RawTable.of_records(
                [flat(document.get("result") or {}) for document in documents], names=["loss"]
            ),
            states=np.array([_state(document) for document in documents], dtype=np.int8),
            objectives=("loss",),
            directions=("minimize",),
            notes=tuple(notes),
            times=recorded_times(
                [document.get("book_time") for document in documents],
                [document.get("refresh_time") for document in documents],
            ),
        ),
        options,
        _SOURCE,
    )


def _documents(source: Any) -> list[Mapping[str, Any]]:
    """Return the documents of an experiment; ``source.trials`` lacks those that raised an error."""
    documents = getattr(source, "_dynamic_trials", None)
    if documents is None:
        return list(source.trials)
    key = getattr(source, "_exp_key", None)
    return [entry for entry in documents if key is None or entry.get("exp_key") == key]


def _values(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a trial; an empty list means an inactive parameter."""
    try:
        listed = document["misc"]["vals"]
        return {label: values[0] if len(values) else None for label, values in listed.items()}
    except (KeyError, TypeError, AttributeError) as error:
        raise DataError(
            f"Trial {document.get('tid')!r} of the Trials lacks the values of its parameters "
            "(misc.vals, a list per label). Leave this trial out."
        ) from error


def _state(document: Mapping[str, Any]) -> State:
    job = document.get("state")
    if job in (_ERROR, _CANCEL):
        return State.FAILED
    if job != _DONE:
        return State.RUNNING
    known = state_of(str((document.get("result") or {}).get("status")))
    return State.RUNNING if known is None else known


def _decode_choices(
    values: Sequence[Mapping[str, Any]], space: Space | None
) -> Sequence[Mapping[str, Any]]:
    """Return the trials with choices in place of the positions that Hyperopt records."""
    choices: dict[str, tuple[Any, ...]] = {}
    for name in space or ():
        domain = space[name][0].domain if space else None
        if isinstance(domain, Categorical):
            choices[name] = domain.choices
    if not choices:
        return values
    return [dict(_decode_trial(trial, row, choices)) for row, trial in enumerate(values)]


def _decode_trial(
    trial: Mapping[str, Any], row: int, choices: Mapping[str, tuple[Any, ...]]
) -> Iterator[tuple[str, Any]]:
    for label, value in trial.items():
        if label not in choices or value is None:
            yield label, value
            continue
        known = choices[label]
        if not isinstance(value, (int, np.integer)) or not 0 <= value < len(known):
            raise DataError(
                f"The choice {label!r} has the position {value!r} in trial {row} (counted from "
                f"0), but must be a whole number from 0 to {len(known) - 1}. List its choices in "
                "the order of the options of hp.choice.",
                column=label,
                first_row=row,
            )
        yield label, known[int(value)]


def space_of(source: Any) -> Space:
    """Return the space that was passed to ``fmin``: one parameter per label.

    Normal distributions have no bounds: such parameters are named in ``to_infer``.
    """
    walk = _Walk()
    walk.visit(source, (), whole=False)
    return walk.space()


class _Walk:
    """A traversal of the graph: all labels, and the paths to them."""

    def __init__(self) -> None:
        self.nodes: dict[str, Any] = {}
        self.domains: dict[str, Domain | None] = {}
        self.paths: dict[str, list[BranchPath]] = {}
        self.notes: list[str] = []

    def space(self) -> Space:
        """Return the parameters in the order of the traversal."""
        found: dict[str, Any] = {}
        for label, domain in self.domains.items():
            if domain is None:
                continue
            if domain.single:
                value = domain.label
                self.notes.append(f"{label}: left out, since it has a single value: {value}.")
                continue
            found[label] = Alternative(
                domain, reached_by(map(self._without_single_options, self.paths[label]))
            )
        to_infer = [label for label, domain in self.domains.items() if domain is None]
        return Space(found, notes=self.notes, to_infer=to_infer)

    def _without_single_options(self, path: BranchPath) -> BranchPath:
        """Return a path without choices of one option, which are not parameters."""
        return tuple(test for test in path if not getattr(self.domains[test[0]], "single", False))

    def visit(self, node: Any, path: BranchPath, *, whole: bool) -> None:
        """Visit a node; ``whole`` means that its value is converted to an integer."""
        if isinstance(node, Mapping):
            for inner in node.values():
                self.visit(inner, path, whole=False)
        elif isinstance(node, (list, tuple)):
            for inner in node:
                self.visit(inner, path, whole=False)
        elif not hasattr(node, "pos_args") or node.name == "literal":
            return
        elif node.name == "switch" and node.pos_args[0].name == "hyperopt_param":
            self._choice(node.pos_args[0], node.pos_args[1:], path)
        elif node.name == "hyperopt_param":
            self._parameter(node, path, whole=whole)
        else:
            # scope.int(scope.float(hp.quniform(...))) is whole all the way in.
            whole = node.name == "int" or (whole and node.name == "float")
            for inner in _inputs(node):
                self.visit(inner, path, whole=whole)

    def _choice(self, index: Any, options: Sequence[Any], path: BranchPath) -> None:
        label = _literal(_argument(index, "label"))
        values = [_plain(option) for option in options]
        apart = {(type(value), value) for value in values if value is not _NOT_PLAIN}
        choices = values if len(apart) == len(values) else list(range(len(values)))
        self._add_label(label, _argument(index, "obj"), Categorical(choices), path)
        for place, option in enumerate(options):
            self.visit(option, (*path, (label, place)), whole=False)

    def _parameter(self, node: Any, path: BranchPath, *, whole: bool) -> None:
        label, drawn = _literal(_argument(node, "label")), _argument(node, "obj")
        if label not in self.nodes or self.nodes[label] is not drawn:
            domain = self._domain(label, drawn, whole=whole)
        else:
            domain = self.domains[label]
        self._add_label(label, drawn, domain, path)
        for inner in _inputs(drawn):  # a bound may be drawn, too
            self.visit(inner, path, whole=False)

    def _add_label(self, label: str, drawn: Any, domain: Domain | None, path: BranchPath) -> None:
        if self.domains.setdefault(label, domain) != domain:
            raise SpaceError(
                f"The label {label!r} is used for two different parameters. Give each its own."
            )
        self.nodes[label] = drawn
        self.paths.setdefault(label, []).append(path)

    def _domain(self, label: str, drawn: Any, *, whole: bool) -> Domain | None:
        """Return the domain of a random variable; None, and a note, if it has none."""
        numbers = {name: _number(_argument(drawn, name)) for name in _ARGUMENTS.get(drawn.name, ())}
        if drawn.name == "categorical":
            weights = _argument(drawn, "p")
            return Categorical(range(len(getattr(weights, "obj", None) or weights.pos_args)))
        if drawn.name == "randint" and numbers["low"] is not None:
            low, high = numbers["low"], numbers["high"]
            if _argument(drawn, "high") is None or high is not None:
                return _whole(label, *((0, low) if high is None else (low, high)))
        if drawn.name.endswith("uniform") and None not in (numbers["low"], numbers["high"]):
            try:
                return self._uniform(label, drawn.name, numbers, whole=whole)
            except SpaceError as error:
                raise SpaceError(f"Parameter {label!r}: {error}") from None
        why = (
            "is drawn from a normal distribution"
            if drawn.name in _NORMAL
            else "has bounds that are drawn, too"
            if drawn.name in _ARGUMENTS
            else f"is drawn by {drawn.name!r}"
        )
        self.notes.append(f"{label}: {why}, which leaves it without a domain.")
        return None

    def _uniform(
        self, label: str, kind: str, numbers: Mapping[str, float | None], *, whole: bool
    ) -> Domain:
        low, high, step = numbers["low"] or 0.0, numbers["high"] or 0.0, numbers["q"]
        log = "log" in kind
        if log:
            low, high = math.exp(low), math.exp(high)
        if step is None:
            return Float(low, high, log=log)
        # Hyperopt rounds to the nearest step, even beyond the bounds; a bound half-way between two
        # steps is rounded inside, since it is hardly ever drawn itself.
        low = math.floor(low / step + 0.5) * step
        high = math.ceil(high / step - 0.5) * step
        if log and low <= 0:
            self.notes.append(
                f"{label}: is taken on a linear scale, as rounding makes it 0 at low."
            )
            log = False
        if log and not (whole and step == 1):
            self.notes.append(
                f"{label}: its steps of {step:g} are left out, as it is on a log scale."
            )
        if whole and step.is_integer():
            return Int(int(low), int(high), log=log, step=1 if log else int(step))
        return Float(low, high, log=log, step=None if log else step)


def _whole(label: str, low: float, end: float) -> Int:
    try:
        return Int(int(low), int(end) - 1)
    except SpaceError as error:
        raise SpaceError(f"Parameter {label!r}: {error}") from None


def _inputs(node: Any) -> Iterator[Any]:
    return chain(node.pos_args, (value for _, value in node.named_args))


def _argument(node: Any, name: str) -> Any:
    """Return an argument of a node, given by name or by position; None if missing."""
    named = dict(node.named_args)
    names = _ARGUMENTS[node.name]
    if name in named:
        return named[name]
    place = names.index(name)
    return node.pos_args[place] if place < len(node.pos_args) else None


def _literal(node: Any) -> Any:
    label = node.obj
    return label.decode() if isinstance(label, bytes) else label


def _number(node: Any) -> float | None:
    """Return the number of a literal node; None if it is sampled or computed."""
    value = getattr(node, "obj", None)
    return float(value) if isinstance(value, (int, float, np.integer, np.floating)) else None


def _plain(option: Any) -> Any:
    """Return the plain value of an option of a choice, lists as tuples."""
    name = getattr(option, "name", None)
    value = option.obj if name == "literal" else option
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (str, int, float, bool, type(None))):
        return _NOT_PLAIN if isinstance(value, float) and math.isnan(value) else value
    if name == "pos_args" or isinstance(value, (list, tuple)):
        entries = tuple(_plain(entry) for entry in (option.pos_args if name else value))
        return _NOT_PLAIN if any(entry is _NOT_PLAIN for entry in entries) else entries
    return _NOT_PLAIN
