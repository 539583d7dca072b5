"""Answers about one study."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from condped.live.agents.answers.fields import (
    MOST_BRANCHES,
    MOST_PARAMETERS,
    MOST_ROWS,
    LongText,
    Name,
    ParameterVerdict,
    Part,
    Sentence,
    Status,
    StudyAnswer,
    Verdict,
)

Parameters = Annotated[list[ParameterVerdict], Field(max_length=MOST_PARAMETERS)]


class Importance(ParameterVerdict):
    """A parameter and what is known about it."""

    eta_squared: float | None = Field(
        description="Share of the variance of being in the target set."
    )
    good_values: Annotated[list[Name], Field(max_length=10)] = Field(
        description="Values that are more frequent among the target trials, if it matters."
    )
    switches: Annotated[list[Name], Field(max_length=10)] = Field(
        description="Parameters that it switches on and off."
    )


class ImportanceAnswer(StudyAnswer):
    """Which parameters mattered, the most important first."""

    parameters: Annotated[list[Importance], Field(max_length=MOST_PARAMETERS)]
    more_parameters: int
    unattributed: float = Field(description="The share that is not attributed to any parameter.")
    outcome: Name | None = Field(
        description="The outcome that is explained, if it is not good objectives."
    )
    effects: Annotated[list[Sentence], Field(max_length=3)] = Field(
        description="How the parameters that matter affect the objective."
    )


class EffectRow(Part):
    """Trials with certain values of a parameter, and how they performed."""

    parameter: Name
    regime: Name
    values: Name
    trials: int
    target_trials: int
    objective: Name
    median: float | None
    median_low: float | None
    median_high: float | None
    best: float | None


class ParameterEffect(ParameterVerdict):
    """The effect of a parameter's values, in a sentence."""

    sentence: Sentence


class EffectsAnswer(StudyAnswer):
    """How parameter values performed, in units of the objective."""

    parameters: Annotated[list[ParameterEffect], Field(max_length=MOST_PARAMETERS)]
    more_parameters: int
    rows: Annotated[list[EffectRow], Field(max_length=MOST_ROWS)]
    more_rows: int
    level: float | None = Field(description="Confidence level of the intervals of medians.")


class Branch(Part):
    """A branch of a conditional search space."""

    gate: Name
    branch: Name
    condition: Sentence | None = Field(description="Usable as `where`; null if too long.")
    trials: int
    target_trials: int = Field(description="Those in the study's target set.")
    left_out: int
    median: float | None
    best: float | None
    last_trial: int | None
    trials_ago: int | None = Field(description="How many trials came after the last one in it.")
    status: Status
    reason: Sentence | None
    evidence: Sentence | None = Field(
        description="The evidence on the parameters inside, in a sentence."
    )
    parameters: Annotated[list[ParameterVerdict], Field(max_length=20)] = Field(
        description="Their importance for reaching the best trials of this branch."
    )
    more_parameters: int


class BranchesAnswer(StudyAnswer):
    """The conditional structure, and what matters inside each branch."""

    parameters: Parameters
    more_parameters: int
    branches: Annotated[list[Branch], Field(max_length=MOST_BRANCHES)]
    more_branches: int
    found_from: Literal["space", "data"] | None
    unexplained: Annotated[list[Name], Field(max_length=MOST_PARAMETERS)] = Field(
        description="Conditional parameters whose condition could not be inferred."
    )


class Step(Part):
    """What to do with one parameter."""

    kind: Literal["fix", "narrow", "choices", "widen", "leave"]
    parameter: Name
    regime: Name | None
    domain: Name
    proposal: Name | None
    kept: int = Field(description="Target trials that remain, out of `of`.")
    of: int
    reason: Sentence
    risk: Sentence


class AdviceAnswer(StudyAnswer):
    """A narrower search space, and bounds that are too tight."""

    parameters: Parameters
    more_parameters: int
    steps: Annotated[list[Step], Field(max_length=MOST_PARAMETERS)]
    more_steps: int
    dropped: Annotated[list[Name], Field(max_length=MOST_PARAMETERS)] = Field(
        description="Parameters that become inactive."
    )
    kept_target: int = Field(description="Trials of the target set in the new space.")
    kept_trials: int = Field(description="All trials in the new space.")
    explore: float | None = Field(description="Share of new trials to draw from the old space.")
    risk: Sentence | None = Field(description="What narrowing may cost, as measured.")
    optuna_code: LongText | None = Field(
        description="Null if nothing changes or the code is too long."
    )


class Forecast(Part):
    """Whether more trials would settle a parameter's verdict."""

    parameter: Name
    verdict: Verdict = Field(description="Valid for repeated looks.")
    p_value: float | None
    reason: Sentence | None = Field(description="Why it is not testable.")
    settled_at: int | None = Field(
        description="Finished trials at which it was settled; null if it is not."
    )
    outlook: Literal["settled", "open", "unlikely", "not testable"]
    more_trials: int | None
    more_low: int | None
    more_high: int | None = Field(description="Null: no upper bound.")
    chance: float | None = Field(
        description="Probability of being settled within ten times the trials."
    )


class ForecastAnswer(StudyAnswer):
    """Whether there are enough trials."""

    parameters: Annotated[list[Forecast], Field(max_length=MOST_PARAMETERS)]
    more_parameters: int
    settled: bool
    message: Sentence
    next_look: int = Field(description="Finished trials at which verdicts may change next.")


class Best(Part):
    """The best trial by one objective."""

    objective: Name
    number: int
    value: float | None
    shared: int = Field(description="How many trials reached the same value.")
    parameters: dict[str, float | int | str | bool | None]
    more_parameters: int


class ReportAnswer(StudyAnswer):
    """The study at a glance, and the size of its page."""

    parameters: Parameters
    more_parameters: int
    best: Annotated[list[Best], Field(max_length=10)]
    plateau: Annotated[list[Sentence], Field(max_length=10)]
    outlook: Sentence | None
    page_bytes: int = Field(description="Size of the page that `condped report` would write.")
    page_embedded: bool = Field(description="Whether the page is part of this answer.")
    text: LongText | None
