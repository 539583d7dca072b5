"""Importances of several studies side by side, and what they have in common."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Any, ClassVar

from condped.analyse.across.branches import StudyBranch
from condped.analyse.across.decision import Agreement
from condped.analyse.across.reports import write_reports
from condped.analyse.across.start.prior import Prior, prior_of
from condped.analyse.across.start.start_space import StartSpace, start_space
from condped.analyse.across.start.starts import Starts, starts_of
from condped.analyse.by_name import ByName
from condped.analyse.evidence.evidence import Verdict
from condped.analyse.importance.result import ImportanceResult
from condped.analyse.result import Result
from condped.errors import DataError, not_found
from condped.estimate.settings import Settings
from condped.safe_text import shortened
from condped.writing.endings import check_page
from condped.writing.inputs import check_output
from condped.writing.whole_files import write_text


@dataclass(frozen=True, slots=True)
class ComparedStudy:
    """One of the studies.

    Attributes
    ----------
    trials, used, target_size
        How many trials there are, how many count, and how many are in the target set.
    sampling
        How its parameters were tested, and why.
    reason
        Why no conclusion is possible for it; None where one is.
    missing
        Parameters that other studies have and this one does not.
    learnt
        Whether trials were drawn with regard to results.
    same_as
        The first study that has the same trials, if it is listed twice.
    """

    name: str
    trials: int
    used: int
    target_size: int
    sampling: str
    reason: str | None
    missing: tuple[str, ...] = ()
    learnt: bool = False
    same_as: str | None = None


@dataclass(frozen=True, slots=True)
class StudyImportance:
    """One parameter in one study.

    Attributes
    ----------
    importance, low, high
        As :func:`condped.importance` gives them, with an interval; None if there is none.
    explained, error
        The share of reaching the target set that it explains, without bias, and its standard
        error: what studies are compared by. None where unknown.
    good
        Good values, if the parameter matters; with several regimes, those of the one with the most
        target trials.
    inside, outside
        The median objective there with good values and with others; None if trials are not in
        memory, or with several objectives.
    odd
        Whether it is unlike every other study, and further away than these are from each other.
    odd_p_value
        Its p-value, adjusted for all parameters and studies; None if unknown. With fewer than seven
        studies, one per parameter is tested, and the others have 1.
    """

    study: str
    parameter: str
    importance: float
    low: float | None
    high: float | None
    explained: float | None
    error: float | None
    p_value: float | None
    verdict: Verdict
    good: tuple[str, ...] = ()
    inside: float | None = None
    outside: float | None = None
    odd: bool = False
    odd_p_value: float | None = None


@dataclass(frozen=True, slots=True)
class PooledParameter:
    """One parameter over all studies that have it.

    Attributes
    ----------
    studies
        How many have it and allow a conclusion.
    importance, low, high
        The mean, every study counting alike, with an interval for studies like these.
    explained
        The mean share of reaching the target set that it explains.
    spread
        Standard deviation of what it explains between studies, beyond chance.
    spread_p_value, adjusted_p_value, agreement
        How often studies that agree lie as far apart by chance; the same adjusted for the number of
        parameters, of two studies by Holm as in :func:`condped.difference`, of more by Benjamini
        and Hochberg; and the verdict: ``differs`` up to an adjusted p-value of 0.05, ``unclear`` up
        to 0.1.
    matters_in
        In how many studies it matters.
    odd
        The studies in which it is odd.
    domains
        Its domains, if not all studies have the same.
    compared
        How many studies the spread comes from: those with a known error and at least five target
        trials that have the parameter.
    spread_low, spread_high
        An interval around the spread; None if there is no upper end.
    reason
        Why studies cannot be compared by it; None if they can.
    """

    name: str
    studies: int
    importance: float
    low: float
    high: float
    explained: float
    spread: float
    spread_p_value: float | None
    agreement: Agreement
    matters_in: int
    odd: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    compared: int = 0
    spread_low: float = 0.0
    spread_high: float | None = None
    reason: str | None = None
    adjusted_p_value: float | None = None


@dataclass(frozen=True)
class Across(ByName[PooledParameter], Result):
    """Importances over several studies, the most important parameter first.

    ``across[name]`` is a parameter over all studies, ``across.cell(name, study)`` in one of them.

    Attributes
    ----------
    parameters
        One :class:`~condped.analyse.across.result.PooledParameter` each.
    studies
        One :class:`~condped.analyse.across.result.ComparedStudy` each, in the order given.
    cells
        A :class:`~condped.analyse.across.result.StudyImportance` for each parameter and study.
    target_quantile, level, settings
        Those of all studies.
    notes
        What could not be compared, and why.
    branches
        Those of gates that several studies share.

    Examples
    --------
    >>> import condped
    >>> nested = condped.problems.get("nested")
    >>> across = condped.across({f"run {seed}": nested.sample(300, seed=seed) for seed in range(4)})
    >>> across.names[0], across["x"].matters_in, across["x"].agreement
    ('x', 4, 'no evidence')
    """

    schema: ClassVar[str] = "condped.across/1"
    _columns: ClassVar[tuple[str, ...]] = (
        "parameter", "study", "importance", "low", "high", "explained", "error", "p_value",
        "verdict", "good", "inside", "outside", "odd", "odd_p_value",
    )  # fmt: skip

    parameters: tuple[PooledParameter, ...]
    studies: tuple[ComparedStudy, ...]
    cells: tuple[StudyImportance, ...]
    target_quantile: float
    level: float
    settings: Settings
    notes: tuple[str, ...] = ()
    _results: tuple[ImportanceResult, ...] = field(default=(), repr=False, compare=False)
    branches: tuple[StudyBranch, ...] = ()

    @cached_property
    def _by_place(self) -> dict[tuple[str, str], StudyImportance]:
        return {(cell.parameter, cell.study): cell for cell in self.cells}

    def cell(self, parameter: str, study: str) -> StudyImportance | None:
        """Return a parameter in one study; None if the study does not have it."""
        found = self._by_place.get((parameter, study))
        if found is None:
            names = [one.name for one in self.studies]
            if study not in names:
                raise not_found("study", study, names)
            self[parameter]  # raises if no study has it
        return found

    def result(self, study: str) -> ImportanceResult:
        """Return the importances of one study, as :func:`condped.importance` gives them.

        A result that was saved and loaded no longer has them.
        """
        names = [one.name for one in self.studies]
        if study not in names:
            raise not_found("study", study, names)
        if study not in self._by_study:
            raise DataError(
                f"The importances of the study {shortened(study)!r} are not here: a saved result "
                "holds the comparison, not the results of single studies. Call condped.importance "
                "on the study's source, or condped.across again."
            )
        return self._by_study[study]

    @cached_property
    def _by_study(self) -> dict[str, ImportanceResult]:
        return dict(zip((one.name for one in self.studies), self._results, strict=False))

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        title: str | None = None,
        reports: str | os.PathLike[str] | None = None,
    ) -> None:
        """Write everything to one page that anybody can open, without a network.

        Parameters
        ----------
        path
            Where to write the page; its name ends in ``.html``.
        title
            The headline.
        reports
            A folder to write the report of each study into; the page links to them. Needs the
            trials, which a result that was saved does not have.
        """
        check_page(path)
        check_output(path, page=True)
        links = {} if reports is None else write_reports(self._by_study, path, reports)
        made: str = import_module("condped.show.report.across_page").across_page(self, title, links)
        write_text(made, path)

    def rows(self) -> list[dict[str, Any]]:
        """Return one record per parameter and study."""
        return [self._row(cell, good="; ".join(cell.good)) for cell in self.cells]

    def pooled_rows(self) -> list[dict[str, Any]]:
        """Return one record per parameter, over all studies."""
        return [asdict(parameter) for parameter in self.parameters]

    def branch_rows(self) -> list[dict[str, Any]]:
        """Return one record per branch and study, of gates that several studies share."""
        return [asdict(branch) for branch in self.branches]

    def _readable(self) -> dict[str, Any]:
        return {
            "parameters": self.parameters,
            "studies": self.studies,
            "cells": self.cells,
            "branches": self.branches,
            "target_quantile": self.target_quantile,
            "level": self.level,
            "settings": self.settings,
            "notes": self.notes,
        }

    def space(self, risk: float = 0.1) -> StartSpace:
        """Return a smaller space for the next study of this kind.

        Ranges are spanned by the three best trials with the parameter of each study that has tried
        it often enough, with a margin; choices that are good clearly less often than others are
        dropped. The margin is the smallest with which the best trial of a study that was left out
        lies inside often enough: the best trial of another study lies outside with a chance of at
        most ``risk``, assuming that it is drawn like the past ones. So K studies do not suffice for
        a risk below 1 / (K + 1), and then nothing is narrowed; nor is it with fewer than three.
        Where good values are found everywhere, or too few studies have tried them, a domain stays
        as it is.

        Parameters
        ----------
        risk
            The accepted chance.
        """
        return start_space(self, risk)

    def starts(self, number: int = 10, space: StartSpace | None = None) -> Starts:
        """Return configurations to try first in the next study.

        They are among the best trials of the studies, chosen one after the other so that in every
        study one of them is near the top; how good one is in another study is judged by the nearest
        trials of the same branch. Up to 30 % are the best of branches that would not be tried
        otherwise.

        Parameters
        ----------
        number
            How many.
        space
            The smaller space of :meth:`space`, to stay inside it; None: the whole space.
        """
        return starts_of(self, number, space)

    def prior(self) -> Prior:
        """Return the densities of good values by parameter and regime, averaged over studies."""
        return prior_of(self)
