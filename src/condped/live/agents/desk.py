"""The desk: from a tool's arguments to its answer, without anything of the protocol."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from condped.errors import SettingsError
from condped.live.agents import one_study, reports, several
from condped.live.agents.answers import one_study as of_one
from condped.live.agents.answers import several as of_several
from condped.live.agents.answers.fields import StudyAnswer
from condped.live.agents.arguments import (
    MOST_COMPARED,
    AcrossQuestion,
    Arguments,
    DifferenceQuestion,
    EffectsQuestion,
    ImportanceQuestion,
    NoArguments,
    Question,
    ReportQuestion,
    StudyQuestion,
)
from condped.live.agents.cache import Cache
from condped.live.agents.snapshots import Snapshot, Snapshots
from condped.live.agents.sources import Sources
from condped.live.sources import split_options

_MOST_ANSWERS = 64


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: what it takes, what it answers, and what it is for."""

    name: str
    title: str
    arguments: type[Arguments]
    answer: type[BaseModel]
    description: str


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """An answer, and a page that comes with it; empty: none."""

    answer: BaseModel
    page: str = ""


TOOLS = (
    Tool(
        "list_studies",
        "Studies",
        NoArguments,
        of_several.StudiesAnswer,
        "List the studies that the other tools take, with their trials by state and best value. "
        "Call this first: other tools take the names that it shows, and nothing else.",
    ),
    Tool(
        "importance",
        "Importance",
        ImportanceQuestion,
        of_one.ImportanceAnswer,
        "Tell which hyperparameters mattered for reaching the best trials of a study, with a "
        "statistical verdict each. Only 'matters' is evidence of an effect: an importance without "
        "it is none. status 'undetermined' means that nothing can be said, for the reason given. "
        "A tie means that the objective cannot separate the best trials.",
    ),
    Tool(
        "effects",
        "Effects",
        EffectsQuestion,
        of_one.EffectsAnswer,
        "Show what values of each parameter reached, in units of the objective: medians with "
        "intervals and best values by value, and good values against all others.",
    ),
    Tool(
        "branches",
        "Branches",
        StudyQuestion,
        of_one.BranchesAnswer,
        "Show the conditional structure of a study: which parameter switches which, how often each "
        "branch reached the target set, and what matters inside each branch.",
    ),
    Tool(
        "advise",
        "Advice",
        StudyQuestion,
        of_one.AdviceAnswer,
        "Suggest a narrower search space and which bounds are too tight, with what each step keeps "
        "and risks. Conservative: what shows no evidence of an effect is left alone.",
    ),
    Tool(
        "forecast",
        "Forecast",
        StudyQuestion,
        of_one.ForecastAnswer,
        "Tell whether there are enough trials: for each parameter the verdict so far and about how "
        "many more trials would settle it, or that no number of trials of this kind is likely to.",
    ),
    Tool(
        "report",
        "Report",
        ReportQuestion,
        of_one.ReportAnswer,
        "Sum up a study: best trial, plateau, outlook, verdicts, all as text; with page=true the "
        "HTML page as well, if it is small enough. Nothing is written.",
    ),
    Tool(
        "across",
        "Across studies",
        AcrossQuestion,
        of_several.AcrossAnswer,
        "Compare several studies: what matters in all of them, where they differ beyond chance, "
        "and which branches win in which.",
    ),
    Tool(
        "difference",
        "Difference",
        DifferenceQuestion,
        of_several.DifferenceAnswer,
        "Tell what matters more or less in one study than in another, and which branch won before "
        "or wins now.",
    ),
)

_ONE: Mapping[str, Callable[[one_study.StudyQuery], Any]] = {
    "importance": one_study.importance,
    "effects": one_study.effects,
    "branches": one_study.branches,
    "advise": one_study.advise,
    "forecast": reports.forecast,
    "report": reports.report,
}
_SEVERAL = {"across": several.across, "difference": several.difference}


class Desk:
    """Answers questions about the given sources, and about nothing else.

    Parameters
    ----------
    given
        Sources, each with a name in front of an equals sign or without.
    studies
        Names or patterns of the studies that may be asked about; all if there are none.
    **options
        Of :func:`condped.importance`, the same for all studies.
    """

    def __init__(self, given: Sequence[str], studies: Sequence[str] = (), **options: Any) -> None:
        reading, self._options = split_options(options)
        self.sources = Sources(given, studies, reading)
        self._snapshots = Snapshots(self.sources)
        self._cache: Cache[ToolAnswer] = Cache(_MOST_ANSWERS)

    def answer(self, tool: str, arguments: Arguments) -> ToolAnswer:
        """Return the answer of a tool, which may take a while; raise if it has none."""
        if tool == "list_studies":
            return ToolAnswer(several.list_studies(self.sources))
        assert isinstance(arguments, Question)
        studies = [self._snapshots.take(name, arguments.looks) for name in self._named(arguments)]
        versions = tuple((one.name, one.version, one.looks) for one in studies)
        key = tool, versions, arguments.model_dump_json()
        given = self._cache.get(key, lambda: self._made(tool, studies, arguments))
        # It may be an answer from before; that nothing has changed was looked up now.
        return _as_of_now(given, studies)

    def close(self) -> None:
        """Let go of all studies."""
        self._snapshots.close()

    def _named(self, question: Question) -> list[str]:
        if isinstance(question, StudyQuestion):
            return [question.study]
        if isinstance(question, DifferenceQuestion):
            return [question.before, question.after]
        assert isinstance(question, AcrossQuestion)
        if question.studies:
            return list(dict.fromkeys(question.studies))
        names = [one.name for one in self.sources.listed()[0]]
        if len(names) > MOST_COMPARED:
            raise SettingsError(
                f"At most {MOST_COMPARED} studies are compared at once (there are {len(names)}). "
                "Name some of them."
            )
        return names

    def _made(self, tool: str, studies: list[Snapshot], question: Question) -> ToolAnswer:
        if tool in _SEVERAL:
            query = several.SeveralQuery(studies, question, self._options)
            return ToolAnswer(_SEVERAL[tool](query))
        assert isinstance(question, StudyQuestion)
        made = _ONE[tool](one_study.StudyQuery(studies[0], question, self._options))
        return (
            ToolAnswer(made.answer, made.html)
            if isinstance(made, reports.Page)
            else ToolAnswer(made)
        )


def _as_of_now(given: ToolAnswer, studies: list[Snapshot]) -> ToolAnswer:
    if not isinstance(given.answer, StudyAnswer):
        return given
    as_of = given.answer.as_of.model_copy(update={"read_at": studies[0].read_at})
    return ToolAnswer(given.answer.model_copy(update={"as_of": as_of}), given.page)
