"""Which branches win in which studies, in sentences: for texts, notebooks and pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from condped.analyse.across.branches import StudyBranch
from condped.analyse.across.result import Across
from condped.estimate.statistics.winning import FIRST_TRIALS
from condped.safe_text import listed, shortened

_MOST_STUDIES = 4
_MOST_BRANCHES = 6
_MOST_GATES = 2  # in a heading
BRANCH_MEANING = (
    "A branch wins if it has more target trials than its share of the trials; where a sampler "
    f"learnt from results, if its first {FIRST_TRIALS} trials are better than the first "
    f"{FIRST_TRIALS} of the other branches. Statistically significant after adjustment for all "
    "branches and studies."
)


@dataclass(frozen=True, slots=True)
class BranchStandings:
    """The studies in which a branch wins, loses, or does neither."""

    gate: str
    branch: str
    wins: tuple[str, ...]
    loses: tuple[str, ...]
    open: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GateStandings:
    """Where the branches of a gate win; each study is in ``won``, ``leading`` or ``inactive``.

    Attributes
    ----------
    won
        The branches that win, and in which studies.
    lost
        Those that lose in studies without a winner.
    leading
        The branches with the most target trials in studies without a winner.
    inactive
        Studies in which no target trial has the gate.
    learnt
        Whether the sampler learnt from results in a study without a winner.
    """

    gate: str
    studies: int
    won: Mapping[str, list[str]]
    lost: Mapping[str, list[str]]
    leading: Mapping[str, list[str]]
    inactive: tuple[str, ...]
    learnt: bool

    @property
    def open(self) -> list[str]:
        """The studies without a winner, some target trials of which have the gate."""
        return [study for own in self.leading.values() for study in own]

    @property
    def won_words(self) -> list[str]:
        """Which branches win where."""
        shown = list(self.won.items())[:_MOST_BRANCHES]
        words = [f"{shortened(label)} wins in {self._where(own)}" for label, own in shown]
        more = len(self.won) - len(shown)
        return [*words, f"{more} more win elsewhere"] if more else words

    def _where(self, names: Sequence[str]) -> str:
        if len(names) == self.studies > 1:
            return "both studies" if self.studies == 2 else f"all {self.studies} studies"
        return listed(names, _MOST_STUDIES)

    @property
    def open_words(self) -> str:
        """The studies without a winner."""
        names = self.open
        if len(names) == 1:
            return shortened(names[0])
        return f"the other {len(names)}" if self.won else self._where(names)

    @property
    def sentence(self) -> str:
        """Which branches win where, and which have most target trials where none does."""
        parts = self.won_words
        if self.leading:
            if not parts:
                some = "no evidence that one wins; most target trials are in"
            else:
                some = f"no clear winner in {self.open_words}, where most target trials are in"
            named = len(self.leading) > 1 or (not parts and len(self.open) < self.studies)
            each = [
                f"{shortened(label)} ({listed(own, _MOST_STUDIES)})" if named else shortened(label)
                for label, own in list(self.leading.items())[:_MOST_BRANCHES]
            ]
            luck = ", which may be the sampler's luck" if self.learnt else ""
            parts.append(f"{some} {', '.join(each)}{luck}")
        if self.inactive:
            parts.append(f"in {listed(self.inactive, _MOST_STUDIES)} no target trial has it")
        parts += [
            f"{shortened(label)} loses in {listed(own, _MOST_STUDIES)}"
            for label, own in list(self.lost.items())[:_MOST_BRANCHES]
        ]
        return f"Branches of {shortened(self.gate)}: {'; '.join(parts)}."

    @property
    def heading(self) -> str:
        """The sentence in a few words."""
        if not self.won:
            return "no evidence that one wins"
        rest = f", no clear winner in {self.open_words}" if self.leading else ""
        return f"{', '.join(self.won_words)}{rest}"


def standings(branches: Sequence[StudyBranch]) -> list[BranchStandings]:
    """Return the studies in which each branch wins and loses, in the order of the branches."""
    found: dict[tuple[str, str], dict[str, list[str]]] = {}
    for one in branches:
        kinds = found.setdefault((one.gate, one.branch), {})
        kinds.setdefault(one.standing, []).append(one.study)
    return [
        BranchStandings(
            gate,
            branch,
            tuple(kinds.get("wins", ())),
            tuple(kinds.get("loses", ())),
            tuple(kinds.get("no evidence", ())),
        )
        for (gate, branch), kinds in found.items()
    ]


def gate_standings(across: Across) -> list[GateStandings]:
    """Return which branches win where, gate by gate."""
    learnt = {study.name for study in across.studies if study.learnt}
    by_gate: dict[str, list[StudyBranch]] = {}
    for branch in across.branches:
        by_gate.setdefault(branch.gate, []).append(branch)
    return [_standings_of(gate, own, learnt) for gate, own in by_gate.items()]


def _standings_of(gate: str, branches: Sequence[StudyBranch], learnt: set[str]) -> GateStandings:
    decided = {one.study for one in branches if one.standing == "wins"}
    first = _leaders(branches)
    won: dict[str, list[str]] = {}
    lost: dict[str, list[str]] = {}
    leading: dict[str, list[str]] = {}
    for one in branches:
        if one.standing == "wins":
            won.setdefault(one.branch, []).append(one.study)
        elif one.standing == "loses" and one.study not in decided:
            lost.setdefault(one.branch, []).append(one.study)
    for study, branch in first.items():
        if study not in decided and branch.target_of:
            leading.setdefault(branch.branch, []).append(study)
    inactive = [s for s, branch in first.items() if s not in decided and not branch.target_of]
    most_first = dict(sorted(won.items(), key=lambda pair: -len(pair[1])))
    lucky = any(study in learnt for own in leading.values() for study in own)
    return GateStandings(gate, len(first), most_first, lost, leading, tuple(inactive), lucky)


def _leaders(branches: Sequence[StudyBranch]) -> dict[str, StudyBranch]:
    """Return the branch of a gate with the most target trials, by study."""
    first: dict[str, StudyBranch] = {}
    for one in branches:
        if one.study not in first or one.target_trials > first[one.study].target_trials:
            first[one.study] = one
    return first


def branch_heading(across: Across) -> str | None:
    """Return which branches win where in a few words; None without branches."""
    every = gate_standings(across)
    if not every:
        return None
    if len(every) == 1:
        return every[0].heading
    shown = [f"{shortened(one.gate)}: {one.heading}" for one in every[:_MOST_GATES]]
    more = len(every) - len(shown)
    return "; ".join([*shown, f"{more} more gate{'s' if more > 1 else ''}"] if more else shown)


def settled_elsewhere(across: Across) -> list[str]:
    """Return a sentence per gate with one study whose target trials lie in another branch.

    A description with counts; whether it is more than luck is up to the standings.
    """
    sentences = []
    for gate in dict.fromkeys(one.gate for one in across.branches):
        own = [one for one in across.branches if one.gate == gate]
        first = {study: one for study, one in _leaders(own).items() if one.target_of}
        by_branch: dict[str, list[str]] = {}
        for study, one in first.items():
            if 2 * one.target_trials > one.target_of:
                by_branch.setdefault(one.branch, []).append(study)
        if len(first) < 3 or sorted(map(len, by_branch.values())) != [1, len(first) - 1]:
            continue
        (alone,) = (names[0] for names in by_branch.values() if len(names) == 1)
        others = [one for study, one in first.items() if study != alone]
        here, hits = first[alone], sum(one.target_trials for one in others)
        sentences.append(
            f"{shortened(alone)} alone has most target trials in {shortened(here.branch)} "
            f"({here.target_trials:,} of {here.target_of:,}); in the other {len(others)} they are "
            f"in {shortened(others[0].branch)} ({hits:,} of "
            f"{sum(one.target_of for one in others):,})."
        )
    return sentences
