"""Fields that the answers share: typed and bounded, with the account and the verdicts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from condped.safe_text import shortened

# Answers fill an agent's context, so lists end here and say how many more entries there are.
MOST_PARAMETERS = 50
MOST_BRANCHES = 40
MOST_ROWS = 200
MOST_STUDIES = 200
MOST_NOTES = 10
MOST_NAME = 120  # letters of a name
MOST_SENTENCE = 1_000
MOST_TEXT = 20_000  # letters of code, a space or a whole report

Name = Annotated[str, Field(max_length=MOST_NAME)]
Sentence = Annotated[str, Field(max_length=MOST_SENTENCE)]
LongText = Annotated[str, Field(max_length=MOST_TEXT)]
Entry = TypeVar("Entry")

Status = Literal["ok", "undetermined"]
Verdict = Literal["matters", "unclear", "no evidence", "not testable"]
Looks = Literal["once", "repeated"]
Action = Literal[
    "measure more finely",
    "gather more trials",
    "explain the endings",
    "narrow the space",
    "widen the space",
    "keep the space",
    "leave out a branch",
    "ask for advice",
]


class Part(BaseModel):
    """A part of an answer, without fields beyond its schema."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Trials(Part):
    """How many trials there are, how many were used, and what was left out."""

    total: int
    used: int
    left_out: int
    failed: int
    pruned: int
    running: int = Field(description="Running or waiting: always left out.")
    nonfinite: int = Field(description="Objective NaN, infinite or not recorded.")
    infeasible: int
    counted_as_worst: int


class Target(Part):
    """The target set: the trials that count as good."""

    quantile: float | None = Field(
        description="The requested share; null if an outcome is explained."
    )
    trials: int = Field(description="How many trials are in it, ties included.")
    of: int = Field(description="Out of this many trials.")
    tie: Sentence | None = Field(
        description="How ties affect it: the objective cannot separate these trials."
    )


class AsOf(Part):
    """The trials that the answer is based on."""

    finished: int = Field(description="Trials that had ended when the study was read.")
    running: int
    looks: Looks = Field(
        description="repeated: verdicts hold however often the study is looked at while it runs."
    )
    verdicts_at: int | None = Field(
        description="Finished trials at the last scheduled look; null if looks is once, or before "
        "the first look."
    )
    read_at: str = Field(description="When the study was read (UTC).")


class NextStep(Part):
    """What to do next, judging by the trials."""

    action: Action
    sentence: Sentence


class ParameterVerdict(Part):
    """One parameter, and whether its effect is statistically significant."""

    parameter: Name
    importance: float
    verdict: Verdict
    p_value: float | None = Field(description="Null if not testable.")
    reason: Sentence | None = Field(description="Why it is not testable.")


class Answer(Part):
    """The fields of all answers."""

    status: Status
    reason: Sentence | None = Field(description="Why no conclusion is possible; null if one is.")
    notes: Annotated[list[Sentence], Field(max_length=MOST_NOTES)]
    next_step: NextStep | None


class StudyAnswer(Answer):
    """The fields of all answers about one study."""

    study: Name
    trials: Trials
    target: Target
    evidence: Sentence | None = Field(description="The result of the test for the study.")
    sampling: Sentence | None = Field(
        description="What the test compared the trials with, and why."
    )
    as_of: AsOf


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """An answer, and the page that comes with it, empty if there is none."""

    answer: BaseModel
    page: str = ""


def bounded(entries: Iterable[Entry], most: int) -> tuple[list[Entry], int]:
    """Return the first entries, and how many more there are."""
    every = list(entries)
    return every[:most], max(0, len(every) - most)


def sentence(text: str | None) -> str | None:
    """Return a text shortened to fit, on one line; None if there is none."""
    return None if not text else shortened(text, MOST_SENTENCE)


def name(text: str) -> str:
    """Return a name shortened to fit, on one line."""
    return shortened(text, MOST_NAME)


def notes(texts: Sequence[str]) -> list[str]:
    """Return the first notes, each on one line."""
    kept, more = bounded((shortened(text, MOST_SENTENCE) for text in texts if text), MOST_NOTES)
    return kept if not more else [*kept[:-1], f"… and {more + 1} more notes."]


def long_text(text: str) -> str | None:
    """Return a text if it fits: half of a program or a space would mislead."""
    return text if len(text) <= MOST_TEXT else None


def number(value: float | None) -> float | None:
    """Return a number that JSON can hold; None for NaN and infinite ones."""
    return None if value is None or not math.isfinite(value) else float(value)
