"""What several studies tell together, in sentences: for texts, notebooks and pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from condped.analyse.across.branches import StudyBranch
from condped.analyse.across.result import Across, PooledParameter, StudyImportance
from condped.safe_text import listed, shortened
from condped.show.words import p_text

_MOST_PARAMETERS = 6
_MOST_STUDIES = 4
_FEW = 2  # studies that are named rather than counted
_MOST_ODD = 4
_MOST_BRANCHES = 6
VERDICT_MARKS = {"matters": "●", "unclear": "◐", "no evidence": "○", "not testable": "–"}


@dataclass(frozen=True, slots=True)
class BranchStandings:
    """The studies in which a branch wins, loses, or neither."""

    gate: str
    branch: str
    wins: tuple[str, ...]
    loses: tuple[str, ...]
    open: tuple[str, ...]

    @property
    def both(self) -> bool:
        """Whether it wins here and loses there."""
        return bool(self.wins and self.loses)


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer, a sentence or more to each question; None: there is nothing to say."""

    matters: str
    differ: str | None
    odd: str | None
    branches: tuple[str, ...]

    @property
    def sentences(self) -> tuple[str, ...]:
        """All of them, in order."""
        return tuple(s for s in (self.matters, self.differ, self.odd, *self.branches) if s)


def answer_of(across: Across) -> Answer:
    """Return the answer that a comparison of studies gives."""
    return Answer(
        _matters(across),
        _differ(across),
        _odd(across),
        tuple(branch_sentences(across.branches)),
    )


def told_studies(across: Across) -> int:
    """Return how many studies tell something."""
    return sum(study.reason is None for study in across.studies)


def where_it_matters(across: Across, name: str) -> list[str]:
    """Return the studies in which a parameter matters."""
    cells = (across.cell(name, study.name) for study in across.studies)
    return [cell.study for cell in cells if cell is not None and cell.verdict == "matters"]


def _matters(across: Across) -> str:
    every = told_studies(across)
    known = sorted(across.parameters, key=lambda p: (-p.matters_in, -p.importance))
    real = [parameter for parameter in known if parameter.matters_in]
    if not every:
        return "Nothing can be told of any study."
    if not real:
        some = "the study" if every == 1 else f"any of the {every} studies"
        return f"No parameter matters in {some}, as far as the trials show."
    named = [shortened(parameter.name) for parameter in real[:_MOST_PARAMETERS]]
    if every == 1:
        sentence = f"{listed(named, len(named))} {_verb(len(real))}"
    else:
        where = [_where(across, one, every, first=one is real[0]) for one in real[: len(named)]]
        sentence = f"{named[0]} matters in {where[0]}"
        sentence += "".join(
            f", {one} in {at}" for one, at in zip(named[1:], where[1:], strict=True)
        )
    more = len(real) - len(named)
    if more:
        sentence += f"; {_counted(more, 'more parameter')} {_verb(more)} in some"
    silent = len(known) - len(real)
    if silent:
        sentence += f"; {_counted(silent, 'other')} in none"
    return f"{sentence}."


def _verb(number: int) -> str:
    return "matters" if number == 1 else "matter"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _where(across: Across, parameter: PooledParameter, every: int, *, first: bool) -> str:
    """Return in how many studies a parameter matters, and in which if these are few."""
    here, have = parameter.matters_in, parameter.studies
    if have < every:
        some = f"all {have}" if here == have else f"{here} of the {have}"
        where = f"{some} that have it" if have > 1 else "the one that has it"
    elif here == every:
        where = f"all {every} studies"
    else:
        where = f"{here} of {every} studies" if first else str(here)  # said once
    if here <= _FEW < have or have == 1:
        names = ", ".join(map(shortened, where_it_matters(across, parameter.name)))
        where = f"{where} ({names})"
    return where


def _differ(across: Across) -> str | None:
    if told_studies(across) < 2:
        return None
    tested = [parameter for parameter in across if parameter.agreement != "not testable"]
    if not tested:
        return (
            "Whether the studies differ cannot be tested: no parameter has errors in two of them."
        )
    apart = sorted(
        (parameter for parameter in tested if parameter.agreement == "differs"),
        key=lambda parameter: -parameter.spread,
    )
    if not apart:
        return "No parameter differs between the studies by more than chance explains."
    words = [
        f"{shortened(one.name)} ({p_text(one.spread_p_value or 0.0)})"
        for one in apart[:_MOST_PARAMETERS]
    ]
    more = len(apart) - len(words)
    rest = f" and {_counted(more, 'more parameter')}" if more else ""
    return f"The studies differ by more than chance explains in {', '.join(words)}{rest}."


def odd_cells(across: Across) -> list[StudyImportance]:
    """Return the cells that are odd, the surest first."""
    return sorted((cell for cell in across.cells if cell.odd), key=lambda c: c.odd_p_value or 0.0)


def elsewhere(across: Across, odd: StudyImportance) -> float | None:
    """Return what a parameter explains on average in the other studies."""
    others = [
        cell.explained
        for cell in across.cells
        if cell.parameter == odd.parameter
        and cell.study != odd.study
        and cell.explained is not None
    ]
    return sum(others) / len(others) if others else None


def _odd(across: Across) -> str | None:
    odd = odd_cells(across)
    if not odd:
        testable = any(cell.odd_p_value is not None for cell in across.cells)
        return "No study is odd in what its parameters explain." if testable else None
    parts = []
    for cell in odd[:_MOST_ODD]:
        other = elsewhere(across, cell)
        apart = "" if other is None else f", elsewhere {max(other, 0.0):.2f} on average"
        explains = f"explains {max(cell.explained or 0.0, 0.0):.2f}{apart}"
        parts.append(f"{shortened(cell.parameter)} in {shortened(cell.study)} ({explains})")
    more = len(odd) - len(parts)
    return f"Odd: {', '.join(parts)}{f' and {more} more' if more else ''}."


def standings(branches: Sequence[StudyBranch]) -> list[BranchStandings]:
    """Return in which studies each branch wins and loses, in the order of the branches."""
    found: dict[tuple[str, str], dict[str, list[str]]] = {}
    for one in branches:
        kinds = found.setdefault((one.gate, one.branch), {})
        kinds.setdefault(one.standing, []).append(one.study)
    return [
        BranchStandings(
            gate,
            branch,
            tuple(kinds.get("wins", ())),
            tuple(kinds.get("loses", ())),
            tuple(kinds.get("no evidence", ())),
        )
        for (gate, branch), kinds in found.items()
    ]


def branch_sentences(branches: Sequence[StudyBranch]) -> list[str]:
    """Say which branches win here and lose there; where none does, which win."""
    sentences = []
    every = standings(branches)
    for gate in dict.fromkeys(one.gate for one in branches):
        own = [one for one in every if one.gate == gate]
        told = [one for one in own if one.both] or [one for one in own if one.wins]
        studies = len({one.study for one in branches if one.gate == gate})
        parts = [_standing_words(one, studies) for one in told[:_MOST_BRANCHES]]
        if parts:
            more = len(told) - len(parts)
            rest = f"; and {more} more do" if more else ""
            sentences.append(f"Branches of {shortened(gate)}: {'; '.join(parts)}{rest}.")
        else:
            sentences.append(_leading_words(gate, branches))
    return sentences


def _leading_words(gate: str, branches: Sequence[StudyBranch]) -> str:
    """Say where most target trials are, where that is no evidence.

    In which branch a sampler that learns settles is partly luck.
    """
    first: dict[str, StudyBranch] = {}
    for one in branches:
        if one.gate == gate:
            before = first.setdefault(one.study, one)
            if one.target_trials > before.target_trials:
                first[one.study] = one
    leading: dict[str, list[str]] = {}
    for study, branch in first.items():
        leading.setdefault(branch.branch, []).append(study)
    most = [
        f"{shortened(label)} ({listed(studies, _MOST_STUDIES)})"
        for label, studies in list(leading.items())[:_MOST_BRANCHES]
    ]
    return (
        f"Branches of {shortened(gate)}: no evidence that one wins; most target trials are in "
        f"{', '.join(most)}."
    )


def _standing_words(one: BranchStandings, studies: int) -> str:
    def where(names: Sequence[str]) -> str:
        return f"all {studies}" if len(names) == studies > 1 else listed(names, _MOST_STUDIES)

    parts = [
        f"{verb} in {where(names)}"
        for verb, names in (("wins", one.wins), ("loses", one.loses))
        if names
    ]
    return f"{shortened(one.branch)} {' and '.join(parts)}"
