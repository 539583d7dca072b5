"""The desk: from a tool's arguments to its answer, independent of the protocol."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from pydantic import BaseModel

from condped.errors import SettingsError
from condped.live.agents import one_study, reports, several
from condped.live.agents.answers import one_study as of_one
from condped.live.agents.answers import several as of_several
from condped.live.agents.answers.fields import StudyAnswer, ToolAnswer
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
AboutStudy = TypeVar("AboutStudy", StudyAnswer, of_several.ComparedStudy)


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: what it takes, what it answers, and what it is for."""

    name: str
    title: str
    arguments: type[Arguments]
    answer: type[BaseModel]
    description: str


TOOLS = (
    Tool(
        "list_studies",
        "Studies",
        NoArguments,
        of_several.StudiesAnswer,
        "List the available studies, with their numbers of trials by state and best values. Call "
        "this first: the other tools accept only the names listed here.",
    ),
    Tool(
        "importance",
        "Importance",
        ImportanceQuestion,
        of_one.ImportanceAnswer,
        "Show which hyperparameters mattered for reaching the best trials of a study, each with a "
        "statistical verdict. Only 'matters' is evidence of an effect; an importance alone is "
        "not. Status 'undetermined' means that no conclusion is possible, for the reason given. A "
        "tie means that the objective cannot separate the best trials.",
    ),
    Tool(
        "effects",
        "Effects",
        EffectsQuestion,
        of_one.EffectsAnswer,
        "Show how the values of each parameter performed, in units of the objective: medians with "
        "intervals and best results by value, and good values compared with all others.",
    ),
    Tool(
        "branches",
        "Branches",
        StudyQuestion,
        of_one.BranchesAnswer,
        "Show the conditional structure of a study: which parameters activate which, how often "
        "each branch reached the target set, and what matters inside each branch.",
    ),
    Tool(
        "advise",
        "Advice",
        StudyQuestion,
        of_one.AdviceAnswer,
        "Suggest a narrower search space and point out bounds that are too tight, with what each "
        "step keeps and risks. Conservative: parameters without evidence of an effect are left "
        "alone.",
    ),
    Tool(
        "forecast",
        "Forecast",
        StudyQuestion,
        of_one.ForecastAnswer,
        "Say whether there are enough trials: for each parameter the verdict so far and about how "
        "many more trials would settle it, or that more trials of this kind are unlikely to.",
    ),
    Tool(
        "report",
        "Report",
        ReportQuestion,
        of_one.ReportAnswer,
        "Summarise a study as text: best trial, plateau, outlook and verdicts; with page=true "
        "also the HTML page, if it is small enough. No file is written.",
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
        "Show what matters more or less in one study than in another, and which branch won before "
        "and which wins now.",
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
        Sources, each optionally with a name and an equals sign in front.
    studies
        Names or patterns of the studies to offer; all if empty.
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
        # A cached answer is about the same trials, which have just been read again.
        return _as_of_now(given, studies)

    def close(self) -> None:
        """Release all studies."""
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
                f"At most {MOST_COMPARED} studies can be compared at once (there are "
                f"{len(names)}). Name some of them."
            )
        return names

    def _made(self, tool: str, studies: list[Snapshot], question: Question) -> ToolAnswer:
        if tool in _SEVERAL:
            query = several.SeveralQuery(studies, question, self._options)
            return ToolAnswer(_SEVERAL[tool](query))
        assert isinstance(question, StudyQuestion)
        made = _ONE[tool](one_study.StudyQuery(studies[0], question, self._options))
        return made if isinstance(made, ToolAnswer) else ToolAnswer(made)


def _as_of_now(given: ToolAnswer, studies: list[Snapshot]) -> ToolAnswer:
    read_at = {one.name: one.read_at for one in studies}
    answer = given.answer
    if isinstance(answer, StudyAnswer):
        answer = _read_at(answer, studies[0].read_at)
    elif isinstance(answer, of_several.AcrossAnswer | of_several.DifferenceAnswer):
        compared = [_read_at(one, read_at[one.study]) for one in answer.studies]
        answer = answer.model_copy(update={"studies": compared})
    return replace(given, answer=answer)


def _read_at(about: AboutStudy, moment: str) -> AboutStudy:
    """Return the same about a study, with the time at which it was read."""
    as_of = about.as_of.model_copy(update={"read_at": moment})
    return about.model_copy(update={"as_of": as_of})
