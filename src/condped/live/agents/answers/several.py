"""Answers about several studies."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from condped.live.agents.answers.fields import (
    MOST_BRANCHES,
    MOST_NOTES,
    MOST_PARAMETERS,
    MOST_ROWS,
    MOST_STUDIES,
    Answer,
    AsOf,
    Name,
    Part,
    Sentence,
    Status,
    Trials,
    Verdict,
)


class ListedStudy(Part):
    """A study, by the name that the other tools take."""

    study: Name = Field(description="The name that tools take.")
    source: Name
    trials: int
    complete: int
    pruned: int
    failed: int
    running: int
    objectives: Annotated[list[Name], Field(max_length=20)]
    directions: Annotated[list[Literal["minimize", "maximize"]], Field(max_length=20)]
    best: float | None
    last_finished: str | None


class Unreachable(Part):
    """A source that cannot be read at the moment."""

    source: Name
    message: Sentence


class StudiesAnswer(Part):
    """The available studies."""

    studies: Annotated[list[ListedStudy], Field(max_length=MOST_STUDIES)]
    more_studies: int
    unreachable: Annotated[list[Unreachable], Field(max_length=MOST_STUDIES)]
    notes: Annotated[list[Sentence], Field(max_length=MOST_NOTES)]


class ComparedStudy(Part):
    """One of the studies that were compared."""

    study: Name
    status: Status
    reason: Sentence | None
    trials: Trials
    target_trials: int
    target_tie: Sentence | None
    sampling: Sentence | None
    as_of: AsOf
    same_as: Name | None = Field(description="An earlier study with the same trials.")


class Pooled(Part):
    """One parameter over all studies that have it."""

    parameter: Name
    studies: int
    importance: float
    low: float | None
    high: float | None
    matters_in: int = Field(description="In how many studies it matters.")
    agreement: Literal["differs", "unclear", "no evidence", "not testable"]
    adjusted_p_value: float | None
    odd: Annotated[list[Name], Field(max_length=20)] = Field(
        description="Studies in which it differs from all others."
    )
    reason: Sentence | None


class Cell(Part):
    """One parameter in one study."""

    parameter: Name
    study: Name
    importance: float
    verdict: Verdict
    p_value: float | None
    good_values: Annotated[list[Name], Field(max_length=10)]


class StudyBranch(Part):
    """One branch of a shared gate in one study."""

    gate: Name
    branch: Name
    study: Name
    trials: int
    target_trials: int
    median: float | None
    best: float | None
    standing: Literal["wins", "loses", "no evidence"]


class AcrossAnswer(Answer):
    """What matters in several studies, and where they differ."""

    studies: Annotated[list[ComparedStudy], Field(max_length=MOST_PARAMETERS)]
    target_quantile: float
    parameters: Annotated[list[Pooled], Field(max_length=MOST_PARAMETERS)]
    more_parameters: int
    cells: Annotated[list[Cell], Field(max_length=MOST_ROWS)]
    more_cells: int
    branches: Annotated[list[StudyBranch], Field(max_length=MOST_BRANCHES)]
    more_branches: int


class Change(Part):
    """One parameter in both studies."""

    parameter: Name
    before: float
    after: float
    difference: float | None
    low: float | None
    high: float | None
    adjusted_p_value: float | None
    verdict: Literal["more", "less", "unclear", "no evidence", "not testable"]
    sentence: Sentence


class BranchChange(Part):
    """One branch of a gate of both studies."""

    gate: Name
    branch: Name
    verdict: Literal["won before", "wins now", "no evidence", "not testable"]
    sentence: Sentence


class DifferenceAnswer(Answer):
    """What matters more or less in one study than in another."""

    studies: Annotated[list[ComparedStudy], Field(min_length=2, max_length=2)]
    target_quantile: float
    same_trials: bool
    limits: Annotated[list[Sentence], Field(max_length=MOST_NOTES)] = Field(
        description="What limits the comparison."
    )
    parameters: Annotated[list[Change], Field(max_length=MOST_PARAMETERS)]
    more_parameters: int
    branches: Annotated[list[BranchChange], Field(max_length=MOST_BRANCHES)]
    more_branches: int
    only_before: Annotated[list[Name], Field(max_length=MOST_PARAMETERS)]
    only_after: Annotated[list[Name], Field(max_length=MOST_PARAMETERS)]
