"""A smaller space for the next study, with the risk that its best configuration lies outside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from condped.analyse.across.start.configurations import Config, configuration, fits, uniform_value
from condped.analyse.across.start.leave_one_out import (
    left_out_distances,
    lowest_percent,
    margin_for,
)
from condped.analyse.across.start.misled import inside_since, misled
from condped.analyse.across.start.past import FEWEST_TRIALS, Past, past_of
from condped.analyse.across.start.ranges import (
    CLEARLY_LESS,
    FEWEST_IN_REGIME,
    FEWEST_STUDIES,
    SPANNED_BY,
    GoodRange,
    PastRegime,
    good_ranges,
    regimes_of,
    why_not_narrowed,
)
from condped.analyse.advice.adviser import kind_of
from condped.analyse.advice.code.optuna_code import suggest_code
from condped.analyse.advice.narrow import given, meet, narrowed
from condped.analyse.advice.propose import covered, inside
from condped.analyse.advice.steps import Step, StepsResult, UnknownCondition
from condped.errors import SettingsError
from condped.options import is_number
from condped.safe_text import brief, percent, shortened
from condped.space.domain import Categorical, Domain
from condped.space.space import Space

if TYPE_CHECKING:
    from condped.analyse.across.result import Across


@dataclass(frozen=True)
class StartSpace(StepsResult):
    """Where to search next time, according to past studies.

    Attributes
    ----------
    steps
        Changes first, then what stays as it is, each with a reason. ``of`` counts the studies whose
        best trial has the parameter, ``kept`` those whose best trial stays inside.
    space
        The smaller space with its conditions, without parameters that become inactive.
    risk
        The chance that the best trial of another study of the same kind lies outside is at most
        this; 0 if nothing is left out.
    asked
        The requested risk.
    margin
        How far beyond the best trials of past studies the ranges reach, in units of their width.
    studies, left_out_kept
        How many studies are used, and for how many the best trial stays inside if the study itself
        is left out when the ranges are chosen.
    dropped
        Parameters that become inactive.
    unknown
        Parameters of the new space whose conditions could not be inferred.

    Examples
    --------
    >>> import condped
    >>> nested = condped.problems.get("nested")
    >>> past = condped.across([nested.sample(200, seed=seed) for seed in range(10)])
    >>> start = past.space(risk=0.1)
    >>> start.studies, round(start.risk, 2), start.space["x"][0].domain.high < -6
    (10, 0.09, True)
    """

    schema: ClassVar[str] = "condped.start_space/1"

    steps: tuple[Step, ...]
    space: Space
    risk: float
    asked: float
    margin: float | None
    studies: int
    left_out_kept: int
    dropped: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    unknown: tuple[UnknownCondition, ...] = ()

    @property
    def promise(self) -> str:
        """What is guaranteed, and under which assumption."""
        if not self.changes:
            return "Nothing is left out, so there is no risk."
        return (
            "Assuming that the next study is drawn like the past ones, its best trial lies outside "
            f"with a chance of at most {100 * self.risk:.2g} %: with the margin, "
            f"{self.left_out_kept} of {self.studies} best trials stay inside when their own study "
            "is left out."
        )

    @property
    def too_few(self) -> str | None:
        """Why nothing is narrowed, if there are too few studies for the risk; else None."""
        return _too_few(self.studies, self.asked)

    def sample(self, number: int, *, seed: int = 0) -> list[Config]:
        """Draw configurations uniformly from the smaller space."""
        rng = np.random.default_rng(seed)
        unknown = [entry.parameter for entry in self.unknown]
        return [
            configuration(self.space, lambda _, domain: uniform_value(domain, rng), unknown)
            for _ in range(number)
        ]

    def misled(
        self, configurations: Sequence[Mapping[str, Any]], losses: Sequence[float]
    ) -> str | None:
        """Say why the past misleads a new study; None if it does not seem to.

        For code that draws by itself: draw some configurations from the whole space as well, and
        go back to it when this returns a reason.

        Parameters
        ----------
        configurations
            What the new study tried, in order, by parameter.
        losses
            Their results, the lower the better.

        Examples
        --------
        >>> import condped
        >>> nested = condped.problems.get("nested")
        >>> past = condped.across([nested.sample(200, seed=seed) for seed in range(10)])
        >>> past.space().misled([{"x": -6.9}] * 6 + [{"x": -4.5}] * 3, [2.0] * 6 + [1.0] * 3)
        'the best 3 trials lie outside the smaller space, in which 6 of 9 trials lie.'
        """
        within = [self._contains(one) for one in configurations]
        inside = [loss for loss, own in zip(losses, within, strict=True) if own]
        outside = [loss for loss, own in zip(losses, within, strict=True) if not own]
        return misled(inside, outside, inside_since(losses, within))

    def _contains(self, configuration: Mapping[str, Any]) -> bool:
        """Return whether a configuration lies in the smaller space."""
        for step in self.changes:
            value = configuration.get(step.parameter)
            known = step.parameter in configuration and fits(step.domain, value)
            if known and step.proposal is not None and not fits(step.proposal, value):
                return False
        return True

    def optuna_code(self) -> str:
        """Return the code of a function that lets Optuna draw from the smaller space."""
        return suggest_code(self.space, self._active_counts)

    def _readable(self) -> dict[str, Any]:
        return {**self._saved(), "promise": self.promise, "optuna_code": self.optuna_code()}


def start_space(across: Across, risk: float) -> StartSpace:
    """Return the smallest space with at most this risk; see :meth:`condped.Across.space`."""
    if not is_number(risk) or not 0 < risk < 1:
        raise SettingsError(
            f"risk must be a number above 0 and below 1 (got {brief(risk)}): the chance that "
            "the best trial of the next study lies outside."
        )
    past = past_of(across)
    regimes = regimes_of(past)
    studies = len(past.names)
    distances = left_out_distances(past, regimes, float(risk))
    margin = margin_for(distances, float(risk))
    ranges: dict[tuple[str, Domain], GoodRange] = {}
    base, domains = given(past.structure.space, past.where)
    if margin is not None:
        ranges = good_ranges(regimes, np.ones(studies, dtype=bool), float(risk))
        kept = {key: one.kept(margin) for key, one in ranges.items()}
        found = {key: domain for key, domain in kept.items() if domain is not None}
        domains |= {k: meet(d, domains[k]) if k in domains else d for k, d in found.items()}
    space, possible = narrowed(base, domains)
    inside_count = studies if margin is None else int(np.count_nonzero(distances <= margin))
    steps = []
    for regime in regimes:
        key = regime.name, regime.domain
        if key not in possible:
            continue
        proposal, known = domains.get(key), ranges.get(key)
        if proposal is None:
            reason = _why_left(regime, known, margin, regimes, float(risk))
            if studies < FEWEST_STUDIES:
                reason = f"fewer than {FEWEST_STUDIES} past studies."
        elif known is None or margin is None:
            reason = "The condition by which the trials were selected."
        else:
            reason = _why_narrowed(past, regime, proposal, known, margin)
        steps.append(_step(past, regime, proposal, reason))
    steps.sort(key=lambda step: (step.kind == "leave", -past.importances.get(step.parameter, 0.0)))
    changed = any(step.kind != "leave" for step in steps)
    return StartSpace(
        steps=tuple(steps),
        space=space,
        risk=(studies + 1 - inside_count) / (studies + 1) if changed else 0.0,
        asked=float(risk),
        margin=margin if changed else None,
        studies=studies,
        left_out_kept=inside_count,
        dropped=tuple(name for name in past.structure.space if name not in space),
        notes=(*past.notes, *filter(None, [_too_few(studies, float(risk))])),
        unknown=tuple(
            UnknownCondition.of(past.parameters[name])
            for name in past.structure.unexplained
            if name in space
        ),
    )


def _too_few(studies: int, risk: float) -> str | None:
    first = "try good configurations first: --starts 5 on the command line, starts(5) in Python."
    if studies < FEWEST_STUDIES:
        return (
            f"It takes at least {FEWEST_STUDIES} studies with {FEWEST_TRIALS} or more trials each "
            f"to narrow a space (got {studies}), whatever the risk. Add studies, or {first}"
        )
    if margin_for(np.zeros(studies), risk) is not None:
        return None
    needed = int(np.ceil(1.0 / risk - 1e-9)) - 1
    return (
        f"{studies} studies do not suffice for a risk of {percent(risk)}: that takes {needed}, and "
        f"the lowest with {studies} is {lowest_percent(studies)}. So nothing is narrowed: accept "
        f"that risk, or {first}"
    )


def _step(past: Past, regime: PastRegime, proposal: Domain | None, reason: str) -> Step:
    name, domain = regime.name, regime.domain
    best = regime.rows[np.isin(regime.rows, past.best)]
    values = past.parameters[name].values[best]
    several = len(past.parameters[name].domains) > 1
    return Step(
        kind="leave" if proposal is None else kind_of(proposal),
        parameter=name,
        regime=domain.label if several else None,
        domain=domain,
        proposal=proposal,
        kept=len(best) if proposal is None else int(inside(proposal, domain, values).sum()),
        of=len(best),
        covered=1.0 if proposal is None else covered(proposal, domain),
        reason=reason,
        risk="None." if proposal is None else "See the risk of all steps together.",
    )


def _why_narrowed(
    past: Past, regime: PastRegime, proposal: Domain, known: GoodRange, margin: float
) -> str:
    """Say what a smaller domain is based on, with the numbers."""
    values = past.parameters[regime.name].values[regime.rows]
    stays = inside(proposal, regime.domain, values)
    name = shortened(regime.name)
    target = past.order[regime.rows] < past.target_quantile
    counts = f"{np.count_nonzero(target & stays)} of {np.count_nonzero(target)} target trials"
    if len(regime.rows) < len(past.order):  # these decide what is good
        best = f"{np.count_nonzero(regime.good & stays)} of {np.count_nonzero(regime.good)}"
        share = percent(past.target_quantile)
        counts += f" with {name}, and {best} of the best {share} with it of each study,"
    if isinstance(regime.domain, Categorical):
        return (
            f"{counts} stay, and {np.count_nonzero(stays)} of all {len(stays)} trials with {name}: "
            "the choices left out are good clearly less often."
        )
    but = f", without the {known.dropped} furthest out at each end" if known.dropped else ""
    return (
        f"Spanned by the {SPANNED_BY} best trials with {name} of each of {known.studies} "
        f"studies{but}, with a margin of {margin:.2g} times their range. {counts} lie there."
    )


def _why_left(
    regime: PastRegime,
    known: GoodRange | None,
    margin: float | None,
    regimes: Sequence[PastRegime],
    risk: float,
) -> str:
    if margin is None:
        return "too few studies for such a low risk."
    if len(np.unique(regime.study)) < FEWEST_STUDIES:
        return (
            f"fewer than {FEWEST_STUDIES} studies have {FEWEST_IN_REGIME} or more trials with it."
        )
    if known is None:
        return why_not_narrowed(regime, regimes, risk)
    if isinstance(regime.domain, Categorical):
        return "with the margin every choice stays."
    return f"with the margin the range would keep {100 * CLEARLY_LESS:.0f} % of the domain or more."
