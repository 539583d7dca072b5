"""Domains and conditions inferred from the trials, whether or not these are used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from condped.analyse.branches.discover import UNKNOWN, Explanation, Regimes, find_gates
from condped.analyse.branches.splits import intervals, one_of
from condped.analyse.branches.two_gates import explained_by_two
from condped.arrays import BoolArray, IdArray, IntArray
from condped.space.domain import Categorical, Domain, Int
from condped.space.nodes import Node
from condped.space.simplify import alternative, condition_of, conjunction
from condped.space.space import Alternative
from condped.trials.regimes import pool_domains, spanning_domain
from condped.trials.table import Parameter, State, TrialTable


@dataclass(frozen=True, slots=True)
class InferredSpace:
    """What was inferred from the trials."""

    entries: dict[str, Any]  # as a Space takes them
    explained: dict[str, Explanation]
    unexplained: tuple[str, ...]
    inactive: tuple[str, ...]


def inferred_from(table: TrialTable, known: set[str], given: set[str]) -> InferredSpace:
    """Infer domains and conditions, except conditions that are known.

    Parameters that no trial has are inactive, unless their domain is given.
    """
    pooled = pool_domains(table)
    smooth = set() if pooled is None else {entry.parameter for entry in pooled.domains}
    strict, lenient = _regimes(table, smooth)
    parameters = dict(zip(table.names, strict, strict=True))
    varying = [name for name, own in parameters.items() if own.varies and name not in known]
    found = find_gates(strict, lenient, explained_by_two) if varying else {}
    explained = {name: found[name] for name in varying if name in found}
    missing = [name for name, own in parameters.items() if not (own.labels >= 0).any()]
    inactive = [name for name in missing if name not in given]
    spans = {parameter.name: parameter for parameter in table.parameters}
    entries: dict[str, Any] = {}
    unexplained = []
    for parameter in table.parameters:
        name = parameter.name
        if name in explained or name in inactive:
            continue  # added below, after its gates
        if name in varying or name in smooth or (name in missing and name not in known):
            unexplained.append(name)
        entries[name] = _whole_domain(parameter, parameters[name])
    todo, names = list(explained), table.names
    while todo:
        for name in todo:
            gates = [names[place] for place in explained[name].gates]
            if all(gate in entries or gate in known for gate in gates):
                domains = _domains(spans[name], pooled=name in smooth)
                columns = [_Gate(parameters[g], spans[g], entries.get(g)) for g in gates]
                entries[name] = _alternatives(domains, explained[name], columns)
        todo = [name for name in todo if name not in entries]
    return InferredSpace(entries, explained, tuple(unexplained), tuple(inactive))


def _regimes(table: TrialTable, smooth: set[str]) -> tuple[list[Regimes], list[Regimes]]:
    """Return the parameters as the search sees them, strictly and leniently.

    Failed and running trials may have stopped before all of their parameters were suggested. For
    pruned ones this is assumed only leniently, and for parameters that complete trials have.
    """
    states = np.asarray(table.states)
    complete, pruned = states == State.COMPLETE, states == State.PRUNED
    unfinished = ~(complete | pruned)
    if unfinished.all():
        unfinished = np.zeros(len(table), dtype=bool)  # nothing else to learn from
    strict = [Regimes.of(p, unfinished, pooled=p.name in smooth) for p in table.parameters]
    if not pruned.any():
        return strict, strict
    lenient = [
        Regimes.of(p, unfinished | pruned, pooled=p.name in smooth)
        if (own.labels[complete] >= 0).any()
        else own
        for p, own in zip(table.parameters, strict, strict=True)
    ]
    return strict, lenient


def _domains(parameter: Parameter, *, pooled: bool) -> tuple[Domain, ...]:
    return (span(parameter.name, parameter.domains),) if pooled else parameter.domains


def _whole_domain(parameter: Parameter, regimes: Regimes) -> Domain:
    """Return the one domain of a parameter that has no conditions."""
    present = np.unique(regimes.labels[regimes.labels >= 0])
    if len(present) == 1 and len(regimes.categorical) == len(parameter.domains):
        return parameter.domains[int(present[0])]
    return span(parameter.name, parameter.domains)


def span(name: str, domains: tuple[Domain, ...]) -> Domain:
    """Return a domain that holds all of a parameter's domains."""
    kinds = {isinstance(domain, Categorical) for domain in domains}
    # Both numbers and choices: take the first domain.
    return domains[0] if len(kinds) > 1 else spanning_domain(name, domains)


@dataclass(frozen=True, slots=True, eq=False)
class _Gate:
    """A gate as the search sees it, as recorded, and its entry in the space, if known."""

    regimes: Regimes
    column: Parameter
    entry: Any


def _alternatives(
    domains: tuple[Domain, ...], found: Explanation, gates: Sequence[_Gate]
) -> list[Alternative]:
    """Return a parameter's domains, each with the condition under which it holds."""
    if found.rest is None:
        tests = _label_tests(gates[0], found.labels)
    else:
        # The first gate determines the label, or that the second one does.
        undecided = int(found.labels.max()) + 1
        tests = _label_tests(gates[0], np.where(found.rest, undecided, found.labels))
        path = alternative(tests.pop(undecided))
        inside = _label_tests(gates[1], np.where(found.rest, found.labels, UNKNOWN))
        for label, nodes in inside.items():
            joined = (conjunction(path, node) for node in nodes)
            tests.setdefault(label, []).extend(node for node in joined if node is not None)
    return [
        Alternative(domains[label], condition_of(alternative(tests[label])))
        for label in sorted(tests)
        if label >= 0
    ]


def _label_tests(gate: _Gate, labels: IdArray) -> dict[int, list[Node]]:
    """Return the tests of a gate's value that go with each label."""
    tests: dict[int, list[Node]] = {}
    regimes, column = gate.regimes, gate.column
    present = (regimes.labels >= 0) & (labels != UNKNOWN)
    whole = _labelled_tests(regimes, column, present, labels)
    if whole is not None:
        for label, test in whole:
            tests.setdefault(label, []).append(test)
        return tests
    # The condition must name the gate's own domain, too: the cuts differ.
    for regime in np.unique(regimes.labels[present]):
        found = _labelled_tests(regimes, column, present & (regimes.labels == regime), labels)
        own = _condition(gate.entry, column.domains[int(regime)])
        for label, test in found or ():
            both = conjunction(own, test)
            assert both is not None
            tests.setdefault(label, []).append(both)
    return tests


def _condition(entry: Any, domain: Domain) -> Node | None:
    """Return the known condition of a gate's domain; None if there is none."""
    for one in entry if isinstance(entry, (list, tuple)) else ():
        if one.domain == domain and one.when is not None:
            root: Node = one.when.root
            return root
    return None


def _labelled_tests(
    gate: Regimes, column: Parameter, rows: BoolArray, labels: IdArray
) -> list[tuple[int, Node]] | None:
    """Return tests of the gate's value with the label that each goes with.

    None if the value alone, without its domain, does not determine the label.
    """
    kinds = np.unique(gate.categorical[gate.labels[rows]])
    if len(kinds) > 1:
        return None
    if kinds[0]:
        return _choice_tests(gate, column, rows, labels)
    values, own = gate.values[rows], labels[rows]
    order = np.lexsort((own, values))
    values, own = values[order], own[order]
    starts = np.flatnonzero(np.r_[True, own[1:] != own[:-1]])
    ends = np.r_[starts[1:] - 1, len(own) - 1]
    if (values[starts[1:]] == values[ends[:-1]]).any() or len(starts) > 4 * len(np.unique(own)):
        return None
    runs = [(values[a].item(), values[b].item()) for a, b in zip(starts, ends, strict=True)]
    if len(runs) == 1:
        return None
    numeric = [domain for domain in column.domains if not isinstance(domain, Categorical)]
    cuts = intervals(
        runs,
        whole=all(isinstance(domain, Int) for domain in numeric),
        log=all(domain.log for domain in numeric),
    )
    found = zip(starts, cuts, strict=True)
    return [(int(own[start]), interval.test(gate.name)) for start, interval in found]


def _choice_tests(
    gate: Regimes, column: Parameter, rows: BoolArray, labels: IdArray
) -> list[tuple[int, Node]] | None:
    goes_with: dict[tuple[type, Any], tuple[Any, int]] = {}
    parts = [of[rows].astype(np.int64) for of in (gate.labels, gate.values, labels)]
    for regime, position, label in _distinct_triples(*parts):
        domain = column.domains[regime]
        assert isinstance(domain, Categorical)
        choice = domain.choices[position]
        known = goes_with.setdefault((type(choice), choice), (choice, label))
        if known[1] != label:
            return None
    by_label: dict[int, list[Any]] = {}
    for choice, label in goes_with.values():
        by_label.setdefault(label, []).append(choice)
    return [(label, one_of(gate.name, choices)) for label, choices in by_label.items()]


def _distinct_triples(regimes: IntArray, positions: IntArray, labels: IntArray) -> list[list[int]]:
    """Return the different triples, in order; labels start at -1."""
    # As one number each: rows of a matrix take many times as long to sort.
    width, depth = int(positions.max(initial=0)) + 1, int(labels.max(initial=0)) + 2
    found = np.unique((regimes * width + positions) * depth + labels + 1)
    upper, label = np.divmod(found, depth)
    triples: list[list[int]] = np.column_stack([*np.divmod(upper, width), label - 1]).tolist()
    return triples
