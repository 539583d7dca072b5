"""The findings of several studies, in sentences: for texts, notebooks and pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from condped.analyse.across.result import Across, PooledParameter, StudyImportance
from condped.safe_text import listed, shortened
from condped.show.across_branches import branch_heading, gate_standings, settled_elsewhere
from condped.show.words import count_of, p_text

_MOST_PARAMETERS = 6
_FEW = 2  # studies that are named rather than counted
_MOST_ODD = 4
_MOST_REASONS = 4
_MOST_TWICE = 3
VERDICT_MARKS = {"matters": "●", "unclear": "◐", "no evidence": "○", "not testable": "–"}


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer, one or more sentences per question; None if there is nothing to say."""

    twice: str | None  # studies with the same trials; comes first, since these count twice
    matters: str
    differ: str | None
    odd: str | None
    branches: tuple[str, ...]
    branch_heading: str | None  # what the sentences on branches say, in a few words

    @property
    def sentences(self) -> tuple[str, ...]:
        """All sentences, in order."""
        every = (self.twice, self.matters, self.differ, self.odd, *self.branches)
        return tuple(sentence for sentence in every if sentence)


def answer_of(across: Across) -> Answer:
    """Return the answer of a comparison of studies."""
    return Answer(
        twice=_same_trials(across),
        matters=_matters(across),
        differ=_differ(across),
        odd=_odd_studies(across),
        branches=tuple(gate.sentence for gate in gate_standings(across)),
        branch_heading=branch_heading(across),
    )


def _same_trials(across: Across) -> str | None:
    """Return which studies have the same trials."""
    pairs = [(study.same_as, study.name) for study in across.studies if study.same_as]
    if not pairs:
        return None
    named = [f"{shortened(one)} and {shortened(other)}" for one, other in pairs[:_MOST_TWICE]]
    more = len(pairs) - len(named)
    rest = f", and {count_of(more, 'more pair')}" if more else ""
    return (
        f"{'; '.join(named)}{rest} have the same trials, which count twice: if it is one study, "
        "list it once."
    )


def determined_studies(across: Across) -> int:
    """Return the number of studies that allow a conclusion."""
    return sum(study.reason is None for study in across.studies)


def where_it_matters(across: Across, name: str) -> list[str]:
    """Return the studies in which a parameter matters."""
    cells = (across.cell(name, study.name) for study in across.studies)
    return [cell.study for cell in cells if cell is not None and cell.verdict == "matters"]


def _matters(across: Across) -> str:
    every = determined_studies(across)
    known = sorted(across.parameters, key=lambda p: (-p.matters_in, -p.importance))
    real = [parameter for parameter in known if parameter.matters_in]
    if not every:
        return "No conclusion is possible for any study."
    if not real:
        some = "the study" if every == 1 else f"any of the {every} studies"
        return f"No parameter matters in {some}, as far as the trials show."
    named = [shortened(parameter.name) for parameter in real[:_MOST_PARAMETERS]]
    more = len(real) - len(named)
    if every == 1:
        names = [*named, f"{more} more"] if more else named
        sentence = f"{_joined(names)} {_verb(len(real))}"
    else:
        where = [_where(across, one, every, first=one is real[0]) for one in real[: len(named)]]
        sentence = f"{named[0]} matters in {where[0]}"
        sentence += "".join(
            f", {one} in {at}" for one, at in zip(named[1:], where[1:], strict=True)
        )
    if more and every > 1:
        sentence += f"; {count_of(more, 'more parameter')} {_verb(more)} in some"
    silent = len(known) - len(real)
    if silent:
        others = f"{count_of(silent, 'other')} {'show' if silent > 1 else 'shows'} no effect"
        if every > 1:
            others = f"{count_of(silent, 'other parameter')} {_verb(silent)} in none"
        sentence += f"; {others}"
    return f"{sentence}."


def _verb(number: int) -> str:
    return "matters" if number == 1 else "matter"


def _where(across: Across, parameter: PooledParameter, every: int, *, first: bool) -> str:
    """Return in how many studies a parameter matters, and in which if they are few."""
    here, have = parameter.matters_in, parameter.studies
    if have < every:
        some = f"{here} of the {have}"
        if here == have:
            some = "both" if have == 2 else f"all {have}"
        where = f"{some} that have it" if have > 1 else "the one that has it"
    elif here == every:
        where = "both studies" if every == 2 else f"all {every} studies"
    else:
        where = f"{here} of {every} studies" if first else str(here)  # the total is given once
    if here <= _FEW and (here < have or have == 1):
        names = ", ".join(map(shortened, where_it_matters(across, parameter.name)))
        where = f"{where} ({names})"
    return where


def _differ(across: Across) -> str | None:
    if determined_studies(across) < 2:
        return None
    tested = [parameter for parameter in across if parameter.agreement != "not testable"]
    untested = [parameter for parameter in across if parameter.agreement == "not testable"]
    if not tested:
        return f"Whether the studies differ cannot be tested: {_why_untested(across)}."
    apart = sorted(
        (parameter for parameter in tested if parameter.agreement == "differs"),
        key=lambda parameter: -parameter.spread,
    )
    unclear = [parameter for parameter in tested if parameter.agreement == "unclear"]
    if not apart and unclear:
        sentence = f"Unclear whether the studies differ in {_with_p_values(unclear)}."
    elif not apart:
        some = "No parameter differs"
        if untested:
            some = f"No evidence that {_names(tested, across)} differ"
        if len(tested) == 1 < len(across):
            some = f"{shortened(tested[0].name)} does not differ"
        sentence = f"{some} between the studies by more than chance explains."
    else:
        sentence = f"The studies differ by more than chance explains in {_with_p_values(apart)}."
        sentence += f" Unclear: {_with_p_values(unclear)}." if unclear else ""
    return f"{sentence} Cannot be compared: {_not_comparable(untested)}." if untested else sentence


def _with_p_values(parameters: Sequence[PooledParameter]) -> str:
    """Return the names of the parameters with adjusted p-values."""
    words = [
        f"{shortened(one.name)} (adjusted {p_text(one.adjusted_p_value or 0.0)})"
        for one in parameters[:_MOST_PARAMETERS]
    ]
    more = len(parameters) - len(words)
    return ", ".join(words) + (f" and {count_of(more, 'more parameter')}" if more else "")


def _names(parameters: Sequence[PooledParameter], across: Across) -> str:
    """Return the names of the parameters, or their number if there are many."""
    if len(parameters) > _MOST_PARAMETERS:
        return f"{len(parameters)} of the {len(across)} parameters"
    return _joined([shortened(one.name) for one in parameters])


def _joined(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _why_untested(across: Across) -> str:
    """Return why no parameter can be compared."""
    determined = [study for study in across.studies if study.reason is None]
    learnt = [shortened(study.name) for study in determined if study.learnt]
    random = [shortened(study.name) for study in determined if not study.learnt]
    if len(learnt) == len(random) == 1:
        return (
            f"{random[0]} was drawn at random, {learnt[0]} by a sampler that learns from results, "
            "and what a parameter explains depends on it"
        )
    return (
        _not_comparable(across.parameters)
        if len(across)
        else "no conclusion is possible for any parameter"
    )


def _not_comparable(parameters: Sequence[PooledParameter]) -> str:
    """Return why parameters cannot be compared, grouped by reason."""
    reasons: dict[str, list[str]] = {}
    for one in parameters:
        reasons.setdefault(one.reason or "too few target trials have it", []).append(one.name)
    parts = [
        f"{listed(names, _MOST_PARAMETERS)} ({why if len(names) == 1 else _of_several(why)})"
        for why, names in list(reasons.items())[:_MOST_REASONS]
    ]
    more = sum(len(names) for names in list(reasons.values())[_MOST_REASONS:])
    return "; ".join([*parts, count_of(more, "more parameter")] if more else parts)


def _of_several(why: str) -> str:
    return f"{why.removesuffix('it')}them"  # reasons end in "it"


def odd_cells(across: Across) -> list[StudyImportance]:
    """Return the odd cells, the most significant first."""
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


def _odd_studies(across: Across) -> str | None:
    odd = odd_cells(across)
    apart = settled_elsewhere(across)
    if odd:
        parts = []
        for cell in odd[:_MOST_ODD]:
            other = elsewhere(across, cell)
            than = "" if other is None else f", elsewhere {max(other, 0.0):.2f} on average"
            explains = f"explains {max(cell.explained or 0.0, 0.0):.2f}{than}"
            parts.append(f"{shortened(cell.parameter)} in {shortened(cell.study)} ({explains})")
        more = len(odd) - len(parts)
        first = f"Odd: {', '.join(parts)}{f' and {more} more' if more else ''}."
        return " ".join([first, *apart])
    names = {cell.parameter for cell in across.cells if cell.odd_p_value is not None}
    tested = [parameter for parameter in across if parameter.name in names]
    if tested:
        what = "its parameters explain"
        if len(tested) < len(across):
            what = f"{_names(tested, across)} {'explains' if len(tested) == 1 else 'explain'}"
        apart = [f"No study is odd in what {what}.", *apart]
    return " ".join(apart) or None
