"""Advice: steps, each with what it keeps and what it risks, and the space that they lead to."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from condped.analyse.advice.code.optuna_code import suggest_code
from condped.analyse.advice.steps import Step, StepsResult, UnknownCondition
from condped.analyse.importance.result import ImportanceResult
from condped.analyse.importance.ties import plain_tie
from condped.optional import load_optional
from condped.safe_text import listed, percent
from condped.space.domain import Categorical, Domain, Float, Int
from condped.space.space import Space

if TYPE_CHECKING:
    import optuna

# The share of the new trials that are drawn from the old space by default.
EXPLORE = 0.2
_MOST_NAMES = 3
# Of the studies in benchmarks/advice.json in which something was narrowed, the share whose best
# known configuration lies outside the new space.
OPTIMUM_LOST = 0.05


def measured_risk() -> str:
    """Say how often advice gave up the best configuration, as measured."""
    return (
        f"In condped's benchmark, {100 * OPTIMUM_LOST:.0f} % of the narrowed spaces no longer "
        "contained the best known configuration."
    )


@dataclass(frozen=True)
class Advice(StepsResult):
    """What to do next.

    Attributes
    ----------
    steps
        Changes first, by importance; then what to leave. A parameter may be widened on one side and
        narrowed on the other: two steps.
    space
        The space after all steps that narrow it, with its conditions. It lists parameters with
        ``unknown`` conditions as well, without one. Nothing is widened in it: only the user knows
        whether values beyond a bound make sense (see ``widened_space``).
    dropped
        Parameters that become inactive: nothing in the new space switches them on.
    kept_target, target_size
        How many trials of the target set lie in the new space, and how many there are.
    kept_region, region_size
        The same for the region set.
    importance
        The importances that the advice is based on.
    notes
        What the user should know about the space, one sentence each.
    unknown
        Parameters of the new space whose conditions could not be inferred. The code has a comment
        in place of each.
    explore
        The share of the new trials that should be drawn from the old space.
    found_by_sampler
        Parameters that would be narrowed if the sampler had not found the good values itself.

    Examples
    --------
    >>> import condped
    >>> table = condped.problems.get("activation-disjoint").sample(1000, seed=0)
    >>> advice = condped.advise(table)
    >>> [(step.kind, step.parameter) for step in advice.steps]
    [('widen', 'x'), ('narrow', 'x'), ('narrow', 'c')]
    >>> advice.dropped
    ('y',)
    """

    schema: ClassVar[str] = "condped.advice/1"

    steps: tuple[Step, ...]
    space: Space
    dropped: tuple[str, ...]
    kept_target: int
    target_size: int
    kept_region: int
    region_size: int
    importance: ImportanceResult = field(repr=False)
    notes: tuple[str, ...] = ()
    unknown: tuple[UnknownCondition, ...] = ()
    explore: float = EXPLORE
    found_by_sampler: tuple[str, ...] = ()

    @property
    def why_nothing(self) -> str:
        """Why nothing is left out; empty if something is."""
        if self.changes:
            return ""
        if self.found_by_sampler:
            names = listed(self.found_by_sampler, _MOST_NAMES)
            return f"the sampler already draws most values of {names} where good ones lie."
        return "no parameter shows clearly enough which of its values to leave out."

    @property
    def unexplained(self) -> tuple[str, ...]:
        """The parameters of the new space whose conditions could not be inferred."""
        return tuple(entry.parameter for entry in self.unknown)

    @property
    def widenings(self) -> tuple[Step, ...]:
        """The steps that propose a wider domain."""
        return tuple(step for step in self.steps if step.kind == "widen")

    @property
    def widened_space(self) -> Space:
        """The new space with the wider bounds that the steps propose."""
        narrower = {(step.parameter, step.domain): step.proposal for step in self.changes}
        wider: dict[tuple[str, Domain], Domain] = {}
        for step in self.widenings:
            after = narrower.get((step.parameter, step.domain)) or step.domain
            wider[step.parameter, after] = _widen_domain(after, step)
        return Space(
            {
                name: tuple(
                    replace(entry, domain=wider.get((name, entry.domain), entry.domain))
                    for entry in self.space[name]
                )
                for name in self.space
            }
        )

    def optuna_code(self, *, widened: bool = False) -> str:
        """Return the code of a function that lets Optuna draw from the new space.

        With ``widened`` it draws from ``widened_space``.

        A parameter whose condition is unknown is not drawn: a comment says where to add an ``if``.

        Examples
        --------
        >>> import condped
        >>> table = condped.problems.get("activation-disjoint").sample(1000, seed=0)
        >>> print(condped.advise(table).optuna_code())
        def suggest(trial):
            p = {}
            p["c"] = trial.suggest_float("c", 0.0, 0.49...)
            p["x"] = trial.suggest_float("x", -5.0, -4.3...)
            return p
        """
        return suggest_code(self.widened_space if widened else self.space, self._active_counts)

    def start(
        self,
        study: optuna.Study,
        *,
        explore: float | None = None,
        storage: Any = None,
        study_name: str | None = None,
        sampler: optuna.samplers.BaseSampler | None = None,
        new_code: bool = False,
        enqueue_best: bool = True,
    ) -> optuna.Study:
        """Return a new Optuna study in the new space, which knows the old study's trials.

        Your objective stays as it is: the sampler draws what it suggests from the new space, except
        for a share of ``explore`` of the trials. The user attribute ``condped:drawn_from`` of a new
        trial says which: ``"advised space"`` or ``"old space"``; old and enqueued trials have none.
        The old study is not changed.

        Parameters
        ----------
        study
            The study that the advice is about. Its directions, pruner, metric names and user
            attributes are copied, and its complete and pruned trials: those in the new space, and
            with ``explore`` above 0 also the others, for draws from the old space.
        explore
            The share of the trials that are drawn from the old space; the advice's by default.
        storage, study_name
            As for ``optuna.create_study``.
        sampler
            The sampler; the old study's by default.
        new_code
            Whether the objective uses :meth:`optuna_code`, which draws from the new space only:
            then trials outside of it are not copied, and nothing is explored.
        enqueue_best
            Whether to try the best configuration again first; ignored with several objectives.

        Examples
        --------
        >>> import condped, optuna
        >>> study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
        >>> study.optimize(lambda trial: trial.suggest_float("x", 0, 100) ** 2, n_trials=100)
        >>> new = condped.advise(study).start(study)
        >>> new.optimize(lambda trial: trial.suggest_float("x", 0, 100) ** 2, n_trials=50)
        >>> len(new.trials)
        150
        >>> spaces = [trial.user_attrs.get("condped:drawn_from") for trial in new.trials]
        >>> spaces.count("old space"), spaces.count("advised space"), spaces.count(None)
        (10, 39, 101)
        """
        module = load_optional(
            "condped.optuna.new_study", feature="Advice.start", library="optuna", extra="optuna"
        )
        new: optuna.Study = module.start_study(
            self,
            study,
            explore=explore,
            storage=storage,
            study_name=study_name,
            sampler=sampler,
            new_code=new_code,
            enqueue_best=enqueue_best,
        )
        return new

    @property
    def risk(self) -> str:
        """What narrowing may cost, as measured, and what to do about it; empty if nothing is."""
        if not self.changes:
            return ""
        if self.explore == 0:
            return f"{measured_risk()} All new trials are to be drawn from the new space."
        share = percent(self.explore)
        return f"{measured_risk()} So draw {share} of the new trials from the old space."

    def _readable(self) -> dict[str, Any]:
        return {
            "steps": self.steps,
            "space": self.space,
            "dropped": self.dropped,
            "unexplained": self.unexplained,
            "kept_target": self.kept_target,
            "target_size": self.target_size,
            "kept_region": self.kept_region,
            "region_size": self.region_size,
            "explore": self.explore,
            "risk": self.risk,
            "found_by_sampler": self.found_by_sampler,
            "target_quantile": self.importance.target_quantile,
            "tie": plain_tie(self.importance.tie),
            "optuna_code": self.optuna_code(),
            "settings": self.importance.settings,
            "account": self.importance.account,
            "notes": self.notes,
        }


def _widen_domain(domain: Domain, step: Step) -> Domain:
    """Return a domain with the bound that a step proposes."""
    before, after = step.domain, step.proposal
    if isinstance(domain, Categorical) or isinstance(before, Categorical):
        return domain
    assert isinstance(after, Float | Int)
    side = "low" if after.low != before.low else "high"
    return replace(domain, **{side: getattr(after, side)})
