"""From several studies of any kind to the numbers of each."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace

import numpy as np

from condped.analyse.across.goals import require_same_goals
from condped.analyse.across.study import StudyNumbers, study_numbers
from condped.analyse.options import Question
from condped.count.trials import Trials
from condped.errors import NoTrialsError
from condped.progress import report
from condped.read.each_study import NOTHING, naming_study
from condped.read.several.studies import Studies
from condped.trials.batch import Goal, TableSource
from condped.trials.table import TrialTable

# Up to this many studies have their samplers replayed, which takes seconds for each.
MOST_REPLAYED = 50


@dataclass(frozen=True, slots=True, eq=False)
class StudiesFound:
    """The numbers of all studies, notes on their source, and which have the same trials."""

    numbers: tuple[StudyNumbers, ...]
    notes: tuple[str, ...]
    same_as: dict[str, str]  # the first study with the trials of a later one


@dataclass(slots=True)
class _EarlierStudies:
    """The goals and contents of the studies so far."""

    objective_named: bool  # by the caller
    goals: tuple[Goal, ...] | None = None
    first: str = ""
    contents: dict[bytes, str] = field(default_factory=dict)  # the first study with each content
    same_as: dict[str, str] = field(default_factory=dict)

    def add(self, name: str, trials: Trials) -> None:
        """Add a study; raise if its objectives differ from those of the others."""
        if self.goals is None:
            self.goals, self.first = trials.goals, name
        require_same_goals(
            (self.first, name), (self.goals, trials.goals), same_names=not self.objective_named
        )
        table = trials.in_memory
        if table is not None:
            content = content_of(table)
            if content in self.contents:
                self.same_as[name] = self.contents[content]
            self.contents.setdefault(content, name)


def numbers_of_studies(
    studies: Studies, question: Question, *, objective_named: bool
) -> StudiesFound:
    """Return the numbers of each study; ``objective_named`` says if the caller did."""
    many = len(studies.names) > MOST_REPLAYED
    seen = _EarlierStudies(objective_named)
    found: list[StudyNumbers] = []
    for number, (name, open_it) in enumerate(studies.opened, start=1):
        with naming_study(name):
            try:
                trials = Trials.of(open_it())
                seen.add(name, trials)
                one = study_numbers(name, replace(trials, only_counted=many), question)
            except NoTrialsError:
                trials = Trials.of(NOTHING)
                one = study_numbers(name, trials, question)
        one = one.described()  # while the trials are at hand
        _drop_caches(trials)
        found.append(one.detached() if studies.in_waves else one)
        report("Comparing studies", number, len(studies.names))
    return StudiesFound(tuple(found), studies.notes(), seen.same_as)


def _drop_caches(trials: Trials) -> None:
    """Drop the caches of a study's analysis, which add up over many studies."""
    trials.found.clear()
    source = trials.counter.source
    if isinstance(source, TableSource):
        source.batch.known.clear()


def content_of(table: TrialTable) -> bytes:
    """Return a fingerprint of the trials."""
    found = hashlib.blake2b(digest_size=16)
    for objective in table.objectives:
        found.update(np.ascontiguousarray(objective.values).tobytes())
    for parameter in table.parameters:
        found.update(parameter.name.encode())
        found.update(np.ascontiguousarray(parameter.values).tobytes())
    return found.digest()
