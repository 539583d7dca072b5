"""The trials that a method is given, and the account of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from condped.analyse.importance.account import Account
from condped.analyse.importance.ties import Tie, ties_of
from condped.arrays import BoolArray
from condped.comparison.baselines.absent_values import middle, presence
from condped.count.target_sets import NestedSets
from condped.count.trials import Trials
from condped.errors import SettingsError
from condped.estimate.settings import BaselineSettings
from condped.safe_text import listed, shortened
from condped.space.domain import Categorical, Domain
from condped.trials.batch import Batch, Goal
from condped.trials.regimes import expand_domains
from condped.trials.table import Parameter, TrialTable
from condped.trials.used_trials import ENDINGS, Handling

_MOST_NAMED = 5


@dataclass(frozen=True, slots=True, eq=False)
class UsableTrials:
    """Trials with one domain per parameter, and what was done for that."""

    table: TrialTable
    joined: tuple[str, ...]  # parameters whose domains were joined into one
    top: NestedSets
    used: BoolArray  # (trials,): which are used
    handling: Handling
    ties: tuple[Tie, ...] = ()  # of the target sets, for methods that have them


def basis_of(
    table: TrialTable,
    settings: BaselineSettings,
    handling: Handling,
    target_quantiles: tuple[float, ...] = (0.1,),
) -> UsableTrials:
    """Join domains and find the used trials; raise if the method cannot handle them."""
    if settings.forest:
        _require_values(table, handling)
    trials = Trials.of(table)
    top = trials.top_sets(target_quantiles, settings.region_quantile or 1.0, handling)
    ties = () if settings.forest else ties_of(trials, top, target_quantiles)
    joined = tuple(entry.name for entry in table.parameters if len(entry.domains) > 1)
    used, _, _ = top.members(Batch(table))
    return UsableTrials(expand_domains(table), joined, top, used, handling, ties)


def account_of(
    basis: UsableTrials,
    settings: BaselineSettings,
    region_size: int,
    undetermined: Sequence[str] = (),
) -> Account:
    """Return what the numbers are based on; ``undetermined`` parameters had too few trials."""
    table = basis.table
    return Account(
        pooled=(),
        outcome=None,
        objectives=tuple(Goal(o.name, o.direction) for o in table.objectives),
        trials=basis.top.counts,
        handling=basis.handling,
        region_size=region_size,
        dropped_regimes=(),
        space_inferred=table.space_inferred,
        ignored_columns=table.ignored_columns,
        notes=(*_notes(basis, settings, undetermined), *table.notes),
        selections=table.selections,
        ties=basis.ties,
    )


def _require_values(table: TrialTable, handling: Handling) -> None:
    """Raise if a forest, which predicts numbers, cannot learn from these trials."""
    if len(table.objectives) > 1:
        names = ", ".join(repr(objective.name) for objective in table.objectives)
        raise SettingsError(
            f"f-ANOVA, MDI and SHAP explain one objective (got {len(table.objectives)}: {names}). "
            "Name one with objective=."
        )
    for name in ENDINGS:
        if getattr(handling, name) == "worst":
            raise SettingsError(
                "f-ANOVA, MDI and SHAP learn the objective from its values and cannot count trials "
                f"as worst (got {name}='worst'). Use {name}='drop', or PED-ANOVA."
            )


def _notes(
    basis: UsableTrials, settings: BaselineSettings, undetermined: Sequence[str]
) -> list[str]:
    """Return sentences on what was done to the trials."""
    notes = []
    if basis.joined:
        notes.append(f"Domains joined into one that spans them: {_named(basis.joined)}.")
    used = basis.used
    gaps = []
    for entry in basis.table.parameters:
        present = presence(entry)
        there = int(np.count_nonzero(present & used))
        if there < basis.top.counts.used:
            imputed = settings.absent == "imputation" and entry.domains
            value = f", {_value_text(entry.domains[0])}" if imputed else ""
            gaps.append(f"{shortened(entry.name)} ({basis.top.counts.used - there}{value})")
    if gaps and settings.absent == "imputation":
        notes.append(f"Values imputed where absent (number of trials, value): {_listed(gaps)}.")
    elif gaps:
        notes.append(f"Trials left out for a parameter that they lack: {_listed(gaps)}.")
    blurred = [entry.name for entry in basis.table.parameters if _merges_values(entry, used)]
    if settings.forest and blurred:
        notes.append(
            "A forest holds values in single precision, in which all of these are the same: "
            f"{_named(blurred)}. Shift or scale them."
        )
    if undetermined:
        notes.append(f"Too few different trials for a score: {_named(undetermined)}.")
    return notes


def _merges_values(parameter: Parameter, used: BoolArray) -> bool:
    """Return whether different values are equal in single precision."""
    present = presence(parameter) & used
    values = parameter.values[present]
    if not len(values) or isinstance(parameter.domains[0], Categorical):
        return False
    low, high = values.min().item(), values.max().item()  # whose difference cannot overflow
    # float32 has 24 bits: numbers closer to each other than that are equal.
    return bool(low < high and high - low < 2.0**-24 * max(abs(low), abs(high)))


def _value_text(domain: Domain) -> str:
    if isinstance(domain, Categorical):
        return shortened(str(domain.choices[0]))
    return f"{middle(domain):.4g}"


def _named(names: Sequence[str]) -> str:
    return listed(names, _MOST_NAMED)


def _listed(texts: Sequence[str]) -> str:
    more = len(texts) - _MOST_NAMED
    return ", ".join(texts[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
