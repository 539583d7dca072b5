"""Tools about several studies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import condped
from condped.errors import CondpedError, SettingsError
from condped.live.agents.answers import several as models
from condped.live.agents.answers.fields import (
    MOST_BRANCHES,
    MOST_NOTES,
    MOST_PARAMETERS,
    MOST_ROWS,
    MOST_STUDIES,
    Looks,
    NextStep,
    bounded,
    name,
    notes,
    number,
    sentence,
)
from condped.live.agents.arguments import DifferenceQuestion, Question
from condped.live.agents.one_study import trials
from condped.live.agents.snapshots import Snapshot
from condped.live.agents.sources import Sources
from condped.options import options_of
from condped.safe_text import listed

_MOST_VALUES = 10
_MOST_ODD = 20
_MOST_OBJECTIVES = 20


@dataclass(frozen=True, slots=True)
class SeveralQuery:
    """Studies and how to analyse them; ``options`` are those that the server was started with."""

    studies: Sequence[Snapshot]
    question: Question
    options: Mapping[str, Any]

    @property
    def looks(self) -> Looks:
        """Whether verdicts are for a single look or repeated ones, the same for all studies."""
        return "repeated" if any(one.looks == "repeated" for one in self.studies) else "once"

    @property
    def notes(self) -> list[str]:
        """Notes on verdicts that may differ from those of the tools about one study."""
        once = [one.name for one in self.studies if one.looks != self.looks]
        if not once:
            return []
        return [
            "Some of these studies are still running, so all verdicts here are for repeated "
            f"looks; the other tools use a single look at {listed(once, _MOST_VALUES)}."
        ]

    def call(self, function: Callable[..., Any], *arguments: Any, **own: Any) -> Any:
        """Call one of condped's functions with the options that it takes."""
        taken = {option.name for option in options_of(function)}
        given = {**self.options, **self.question.options, "looks": self.looks}
        known = {option: value for option, value in given.items() if option in taken}
        return function(*arguments, target_quantile=self.question.target_quantile, **known, **own)


def list_studies(sources: Sources) -> models.StudiesAnswer:
    """List the available studies, and how far each has come."""
    found, problems = sources.listed()
    kept, more = bounded(found, MOST_STUDIES)
    texts = [] if found or problems else ["The given sources hold no studies yet."]
    texts += [f"{one.name}: {one.note}" for one in found if one.note is not None]
    return models.StudiesAnswer(
        studies=[
            models.ListedStudy(
                study=one.name,
                source=one.source.name,
                trials=one.row["trials"],
                complete=one.row["complete"],
                pruned=one.row["pruned"],
                failed=one.row["failed"],
                running=one.row["running"],
                objectives=[name(text) for text in one.row["objectives"][:_MOST_OBJECTIVES]],
                directions=one.row["directions"][:_MOST_OBJECTIVES],
                best=number(one.row["best"]),
                last_finished=one.row["last_finished"],
            )
            for one in kept
        ],
        more_studies=more,
        unreachable=[
            models.Unreachable(source=source, message=sentence(problem) or "-")
            for source, problem in list(problems.items())[:MOST_STUDIES]
        ],
        notes=notes(texts),
    )


def across(query: SeveralQuery) -> models.AcrossAnswer:
    """Compare what mattered in several studies."""
    if len(query.studies) < 2:
        raise SettingsError(
            "across compares several studies: name two or more, or call importance for one."
        )
    found = query.call(condped.across, {one.name: one.table for one in query.studies})
    parameters, more = bounded(found.parameters, MOST_PARAMETERS)
    cells, more_cells = bounded(found.cells, MOST_ROWS)
    branches, more_branches = bounded(found.branches, MOST_BRANCHES)
    compared = [_compared(query, one, found) for one in found.studies]
    known = any(one.status == "ok" for one in compared)
    return models.AcrossAnswer(
        status="ok" if known else "undetermined",
        reason=None if known else "no conclusion is possible for any of the studies.",
        notes=notes([*query.notes, *found.notes]),
        next_step=_after_across(found),
        studies=compared,
        target_quantile=found.target_quantile,
        parameters=[_pooled(one) for one in parameters],
        more_parameters=more,
        cells=[_cell(one) for one in cells],
        more_cells=more_cells,
        branches=[_study_branch(one) for one in branches],
        more_branches=more_branches,
    )


def difference(query: SeveralQuery) -> models.DifferenceAnswer:
    """Return what matters more or less in one study than in another."""
    question = query.question
    assert isinstance(question, DifferenceQuestion)
    before, after = query.studies
    if before.name == after.name:
        raise SettingsError("difference compares two studies: name two different ones.")
    found = query.call(
        condped.difference, before.table, after.table,
        cutoff=question.cutoff, labels=(before.name, after.name),
    )  # fmt: skip
    parameters, more = bounded(found.parameters, MOST_PARAMETERS)
    branches, more_branches = bounded(found.branch_changes, MOST_BRANCHES)
    compared = [
        _compared(query, one, None, snapshot, tied=question.cutoff == "own")
        for one, snapshot in zip(found.studies, query.studies, strict=True)
    ]
    known = all(one.status == "ok" for one in compared)
    return models.DifferenceAnswer(
        status="ok" if known else "undetermined",
        reason=None if known else next(one.reason for one in compared if one.reason),
        notes=notes(query.notes),
        next_step=None,
        studies=compared,
        target_quantile=found.target_quantile,
        same_trials=found.same_trials,
        limits=[sentence(one) or "-" for one in found.comparable[:MOST_NOTES]],
        parameters=[_change(one) for one in parameters],
        more_parameters=more,
        branches=[
            models.BranchChange(
                gate=name(one.gate),
                branch=name(one.branch),
                verdict=one.verdict,
                sentence=sentence(one.sentence) or "-",
            )
            for one in branches
        ],
        more_branches=more_branches,
        only_before=[name(one) for one in found.only_before[:MOST_PARAMETERS]],
        only_after=[name(one) for one in found.only_after[:MOST_PARAMETERS]],
    )


def _after_across(found: Any) -> NextStep | None:
    """Return what to do next where all studies agree on what matters."""
    shared = [one.name for one in found if one.studies > 1 and one.matters_in == one.studies]
    if not shared:
        return None
    one = len(shared) == 1
    matter = "matters in every study that has it" if one else "matter in every study that has them"
    names = listed([name(entry) for entry in shared], 5)
    text = f"{names} {matter}. Call difference to compare two of them, or advise for one."
    return NextStep(action="ask for advice", sentence=sentence(text) or "-")


def _compared(
    query: SeveralQuery,
    study: Any,
    found: Any,
    snapshot: Snapshot | None = None,
    *,
    tied: bool = True,
) -> models.ComparedStudy:
    """Describe a study; without ``tied``, its target set ends at a cut-off of several studies."""
    own = snapshot or next(one for one in query.studies if one.name == study.name)
    result = None
    if found is not None:
        try:
            result = found.result(study.name)
        except CondpedError:  # it has no result
            result = None
    if result is None:
        result = query.call(condped.importance, own.table)
    tie = result.tie if tied else None
    return models.ComparedStudy(
        study=own.name,
        status="ok" if study.reason is None else "undetermined",
        reason=sentence(study.reason),
        trials=trials(result.account.trials),
        target_trials=study.target_size,
        target_tie=sentence(tie.message) if tie is not None and tie.notable else None,
        sampling=sentence(study.sampling),
        as_of=replace(own, looks=query.looks).as_of,
        same_as=None if study.same_as is None else name(study.same_as),
    )


def _pooled(one: Any) -> models.Pooled:
    return models.Pooled(
        parameter=name(one.name),
        studies=one.studies,
        importance=one.importance,
        low=number(one.low),
        high=number(one.high),
        matters_in=one.matters_in,
        agreement=one.agreement,
        adjusted_p_value=number(one.adjusted_p_value),
        odd=[name(study) for study in one.odd[:_MOST_ODD]],
        reason=sentence(one.reason),
    )


def _cell(one: Any) -> models.Cell:
    return models.Cell(
        parameter=name(one.parameter),
        study=name(one.study),
        importance=one.importance,
        verdict=one.verdict,
        p_value=number(one.p_value),
        good_values=[name(value) for value in one.good[:_MOST_VALUES]],
    )


def _study_branch(one: Any) -> models.StudyBranch:
    return models.StudyBranch(
        gate=name(one.gate),
        branch=name(one.branch),
        study=name(one.study),
        trials=one.trials,
        target_trials=one.target_trials,
        median=number(one.median),
        best=number(one.best),
        standing=one.standing,
    )


def _change(one: Any) -> models.Change:
    return models.Change(
        parameter=name(one.name),
        before=one.before,
        after=one.after,
        difference=number(one.difference),
        low=number(one.low),
        high=number(one.high),
        adjusted_p_value=number(one.adjusted_p_value),
        verdict=one.verdict,
        sentence=sentence(one.sentence) or "-",
    )
