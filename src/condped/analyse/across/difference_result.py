"""What matters more or less in one study than in another."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal

from condped.analyse.across.branches import BranchChange, StudyBranch
from condped.analyse.across.result import ComparedStudy
from condped.analyse.by_name import ByName
from condped.analyse.result import Result
from condped.errors import DataError
from condped.estimate.settings import Settings

# ``more`` and ``less``: further apart than chance explains, by the adjusted p-value.
Change = Literal["more", "less", "unclear", "no evidence", "not testable"]
Cutoff = Literal["own", "common"]


@dataclass(frozen=True, slots=True)
class ParameterDifference:
    """One parameter in both studies.

    Attributes
    ----------
    before, after
        Its importance, as :func:`condped.importance` gives it.
    explained_before, explained_after
        The share of reaching the target set that it explains, without bias: what is compared. None
        if unknown.
    difference, low, high
        How much more it explains after than before, with an interval; None if unknown.
    p_value, adjusted_p_value
        How often two studies that do not differ are as far apart by chance; adjusted for the number
        of parameters (Holm).
    verdict
        Whether it matters more or less than before: if the adjusted p-value is at most 0.05;
        ``unclear`` up to 0.1.
    sentence
        What changed, in words.
    reason
        Why it is not testable; empty if it is.
    """

    name: str
    before: float
    after: float
    explained_before: float | None
    explained_after: float | None
    difference: float | None
    low: float | None
    high: float | None
    p_value: float | None
    adjusted_p_value: float | None
    verdict: Change
    sentence: str
    reason: str = ""


@dataclass(frozen=True)
class Difference(ByName[ParameterDifference], Result):
    """What changed between two studies, the smallest p-value first.

    Attributes
    ----------
    parameters
        Those of both studies.
    studies
        The two, before and after.
    only_before, only_after
        Parameters of only one of them.
    cutoff, cutoff_value
        Whether each study's target set is the best of its own trials, or all trials that reach one
        objective; and that objective.
    target_shares
        The share of each study's trials that is in its target set.
    comparable
        What limits the comparison: spaces, sizes, samplers, objectives, cut-offs.
    branches
        The branches of gates that both studies have, in each of them.
    branch_changes
        Whether each of these branches wins in one study and loses in the other.
    same_trials
        Whether both studies have the same trials: then there is nothing to compare.
    best
        The best value of a complete trial, before and after; None if unknown, or with several
        objectives.

    Examples
    --------
    >>> import condped
    >>> before = condped.problems.get("activation-disjoint").sample(300, seed=0)
    >>> after = condped.problems.get("regime-dependent").sample(300, seed=1)
    >>> found = condped.difference(before, after, sampling="random")
    >>> found["x"].verdict, found["c"].verdict
    ('less', 'no evidence')
    """

    schema: ClassVar[str] = "condped.difference/1"
    _entry: ClassVar[str] = "parameter of both studies"
    _columns: ClassVar[tuple[str, ...]] = (
        "parameter", "before", "after", "explained_before", "explained_after", "difference", "low",
        "high", "p_value", "adjusted_p_value", "verdict", "sentence",
    )  # fmt: skip

    parameters: tuple[ParameterDifference, ...]
    studies: tuple[ComparedStudy, ...]
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]
    target_quantile: float
    cutoff: Cutoff
    cutoff_value: float | None
    target_shares: tuple[float, ...]
    level: float
    settings: Settings
    comparable: tuple[str, ...] = ()
    branches: tuple[StudyBranch, ...] = ()
    branch_changes: tuple[BranchChange, ...] = ()
    same_trials: bool = False
    best: tuple[float | None, ...] = ()

    def __post_init__(self) -> None:
        if len(self.studies) != 2:
            raise DataError(f"A difference is one of two studies (got {len(self.studies)}).")

    @property
    def changed(self) -> tuple[ParameterDifference, ...]:
        """The parameters that matter more or less than before; no branches.

        Something has changed if there is one of these or of :attr:`branches_changed`: this is what
        ``condped diff --fail-if changed`` checks.
        """
        return tuple(one for one in self.parameters if one.verdict in ("more", "less"))

    @property
    def branches_changed(self) -> tuple[BranchChange, ...]:
        """The branches that win in one study and lose in the other."""
        return tuple(
            one for one in self.branch_changes if one.verdict in ("won before", "wins now")
        )

    def rows(self) -> list[dict[str, Any]]:
        """Return one record per parameter of both studies."""
        return [self._row(one, parameter=one.name) for one in self.parameters]

    def branch_rows(self) -> list[dict[str, Any]]:
        """Return one record per branch and study, of gates that both studies have."""
        return [asdict(branch) for branch in self.branches]
