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
    """A parameter with what is known of it."""

    eta_squared: float | None = Field(
        description="Share of the variance of being in the target set."
    )
    good_values: Annotated[list[Name], Field(max_length=10)] = Field(
        description="Values that target trials have more often; where it matters."
    )
    switches: Annotated[list[Name], Field(max_length=10)] = Field(
        description="Parameters that it switches on and off."
    )


class ImportanceAnswer(StudyAnswer):
    """Which parameters mattered, the most important first."""

    parameters: Annotated[list[Importance], Field(max_length=MOST_PARAMETERS)]
    more_parameters: int
    unattributed: float = Field(description="The share that no parameter gets.")
    outcome: Name | None = Field(description="What is explained, if not good objectives.")
    effects: Annotated[list[Sentence], Field(max_length=3)] = Field(
        description="What the parameters that matter do to the objective."
    )


class EffectRow(Part):
    """Trials with certain values of a parameter, and what they reached."""

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
    """What the values of one parameter do, in a sentence."""

    sentence: Sentence


class EffectsAnswer(StudyAnswer):
    """What values reached, in units of the objective."""

    parameters: Annotated[list[ParameterEffect], Field(max_length=MOST_PARAMETERS)]
    more_parameters: int
    rows: Annotated[list[EffectRow], Field(max_length=MOST_ROWS)]
    more_rows: int
    level: float | None = Field(description="How often an interval of a median holds the truth.")


class Branch(Part):
    """A branch of a conditional search space."""

    gate: Name
    branch: Name
    condition: Sentence | None = Field(description="Usable as `where`; null if too long.")
    trials: int
    target_trials: int = Field(description="Of the study's target set.")
    left_out: int
    median: float | None
    best: float | None
    last_trial: int | None
    trials_ago: int | None = Field(description="How many trials came after the last one in it.")
    status: Status
    reason: Sentence | None
    evidence: Sentence | None = Field(description="Of the parameters inside, in a sentence.")
    parameters: Annotated[list[ParameterVerdict], Field(max_length=20)] = Field(
        description="For reaching the best trials of this branch."
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
    kept: int = Field(description="Target trials that stay, of `of`.")
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
    optuna_code: LongText | None = Field(description="Null if nothing changes, or too long.")


class Forecast(Part):
    """Whether more trials would settle a parameter's verdict."""

    parameter: Name
    verdict: Verdict = Field(description="With looks repeated.")
    p_value: float | None
    reason: Sentence | None = Field(description="Why it is not testable.")
    settled_at: int | None = Field(description="Finished trials since which it is known.")
    outlook: Literal["settled", "open", "unlikely", "not testable"]
    more_trials: int | None
    more_low: int | None
    more_high: int | None = Field(description="Null: no number of trials.")
    chance: float | None = Field(description="Of being settled within ten times the trials.")


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
