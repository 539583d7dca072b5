"""Arguments of the tools: names of listed studies and a few settings, nothing to be opened."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from condped.live.agents.answers.fields import Looks

_MOST_NAME = 500
MOST_COMPARED = 50  # studies at once

StudyName = Annotated[
    str,
    Field(
        min_length=1,
        max_length=_MOST_NAME,
        description="A study, by its name as listed by list_studies.",
    ),
]
Quantile = Annotated[
    float,
    Field(gt=0, le=1, description="The share of trials that counts as good (the target set)."),
]


class Arguments(BaseModel):
    """Arguments of a tool; unknown ones are rejected rather than ignored."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class NoArguments(Arguments):
    """No argument at all."""


class Question(Arguments):
    """The arguments of all tools except list_studies."""

    target_quantile: Quantile = 0.1
    where: str | None = Field(
        None,
        max_length=2_000,
        description="Only trials that meet this condition, such as \"model == 'svm' and depth > "
        '3".',
    )
    objective: str | None = Field(
        None, max_length=_MOST_NAME, description="Which objective to explain, if there are several."
    )
    method: Literal["paper", "calibrated"] | None = Field(
        None, description="The estimator; by default the one that the server was started with."
    )
    pruned: Literal["drop", "keep", "worst"] | None = Field(
        None,
        description="What to do with pruned trials; keep: use the value that they had reached.",
    )
    failed: Literal["drop", "worst"] | None = Field(
        None, description="What to do with failed trials."
    )
    looks: Looks | None = Field(
        None,
        description="repeated: verdicts hold however often the study is looked at while it runs; "
        "the default if trials are running, or have finished since the first call.",
    )

    @property
    def options(self) -> dict[str, Any]:
        """The options that were given."""
        names = ("where", "objective", "method", "pruned", "failed")
        given = {name: getattr(self, name) for name in names}
        return {name: value for name, value in given.items() if value is not None}


class StudyQuestion(Question):
    """A question about one study."""

    study: StudyName


class ImportanceQuestion(StudyQuestion):
    """A question about importances."""

    target: Literal["failed", "pruned", "nonfinite", "infeasible"] | None = Field(
        None, description="Explain this outcome instead of good objectives."
    )


class EffectsQuestion(StudyQuestion):
    """A question about effects."""

    parameter: str | None = Field(
        None, max_length=_MOST_NAME, description="Rows of this parameter only."
    )


class ReportQuestion(StudyQuestion):
    """A question about a report."""

    page: bool = Field(False, description="Whether to embed the HTML page, if it is small enough.")


class AcrossQuestion(Question):
    """A question about several studies."""

    studies: list[StudyName] = Field(
        default_factory=list,
        max_length=MOST_COMPARED,
        description="Names from list_studies; all studies if empty.",
    )


class DifferenceQuestion(Question):
    """A question about two studies."""

    before: StudyName
    after: StudyName
    cutoff: Literal["own", "common"] = Field(
        "own",
        description="Target set of each study: the best of its own trials (own), or its trials "
        "among the best of both studies (common).",
    )
