"""``condped.advise``: a narrower search space, where the evidence suffices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from condped.analyse.advice.adviser import Adviser
from condped.analyse.advice.narrow import given, narrowed
from condped.analyse.advice.result import EXPLORE, Advice
from condped.analyse.advice.steps import UnknownCondition
from condped.analyse.advice.widen import pressed_bounds
from condped.analyse.branches.structure import structure_of
from condped.analyse.branches.tree import require_conditions
from condped.analyse.evidence.sampling import decided, strata_of
from condped.analyse.importance.analysis import answered, count_sets
from condped.analyse.importance.result import importance_result
from condped.analyse.options import ANALYSIS, AnalysisOptions, Options, open_table
from condped.arrays import BoolArray, IntArray
from condped.count.ranking import ranked
from condped.count.target_sets import NestedSets
from condped.errors import SettingsError
from condped.estimate.settings import Settings
from condped.options import is_number, takes
from condped.safe_text import brief
from condped.space.domain import Categorical
from condped.trials.batch import Batch
from condped.trials.repeats import merged, repeating
from condped.trials.table import State, TrialTable

_FEWEST_FAILED = 5  # trials with a choice, all failed, that it takes to mention it


@takes(AnalysisOptions, *ANALYSIS)
def advise(
    source: Any,
    *,
    target_quantile: float = 0.1,
    explore: float = EXPLORE,
    **options: Unpack[AnalysisOptions],
) -> Advice:
    """Suggest a narrower search space: what to fix, narrow, widen and leave.

    Only parameters with strong evidence of an effect are changed: chance alone would make any
    parameter seem to matter as much at most one time in twenty, and would let what is left out
    reach the target set as rarely at most one time in a hundred. If the sampler learns from
    results, nothing is narrowed with fewer than 100 trials, nor to where it draws most values
    already. Widening a bound is suggested if most of the best trials lie near it and the objective
    still improves there, other parameters being equal; the new space keeps such a bound. Trials
    that repeat a configuration count once, with the mean of their objectives, unless only some
    ``parameters`` were chosen. With ``where`` the new space is limited to the condition, which must
    consist of comparisons of single parameters with values, joined by ``and``. All trials are used,
    whatever ``region_quantile`` is.

    Parameters
    ----------
    source
        Anything that :func:`condped.read` takes.
    target_quantile
        γ': the best trials of this share are the target set.
    explore
        The share of the new trials that should still be drawn from the old space, in case the
        advice is wrong.
    **options
        As for :func:`condped.importance`.

    Examples
    --------
    >>> import condped
    >>> advice = condped.advise(condped.problems.get("nested").sample(1000, seed=0))
    >>> advice.dropped
    ('y', 'z')
    """
    check_explore(explore)
    if options.get("groups"):
        raise SettingsError("Advice is about single parameters. Leave groups out.")
    parsed = Options.of(advise, options)
    question = parsed.question((target_quantile,))
    require_conditions("advise", question)
    # What to leave out is decided from all trials: outside the region set is not good, either.
    region_quantile = question.settings.region_quantile
    question = replace(question, settings=replace(question.settings, region_quantile=1.0))
    recorded = open_table("Advice", source, **parsed.reading)
    alone = recorded.some_parameters or not recorded.parameters
    table = recorded if alone else merged(recorded)
    counts = count_sets(table, question)
    assert counts.trials is not None
    top = counts.trials.top
    result = importance_result(answered(counts, question))
    _, region, target = top.members(Batch(table))
    structure = structure_of(table)
    base, restrictions = given(structure.space, table.where)
    parameters = {parameter.name: parameter for parameter in table.parameters}
    blocks = _blocks(region, strata_of(int(np.count_nonzero(region))))
    levels, _, _, _ = ranked(Batch(table), top.ranking)
    adviser = Adviser(
        parameters=parameters,
        result=result,
        region=region,
        target=target,
        structure=structure,
        blocks=blocks,
        restrictions=restrictions,
        pressed=pressed_bounds(table.parameters, levels, region, target),
        adaptive=_sampler_learns(table, top, question.settings),
        used=top.counts.used,
    )
    found, known = adviser.proposals()
    domains = {**restrictions, **{key: proposal.domain for key, proposal in found.items()}}
    stays = adviser.staying(domains)
    # A parameter with an unknown condition stays if trials in the new space have it.
    unexplained = structure.unexplained
    gone = [name for name in unexplained if not (adviser.present(name) & stays).any()]
    space, possible = narrowed(base, domains, without=gone)
    unknown = tuple(
        UnknownCondition.of(adviser.parameters[name]) for name in unexplained if name in space
    )
    return Advice(
        steps=adviser.steps(found, known, possible),
        space=space,
        dropped=tuple(name for name in structure.space if name not in space),
        kept_target=int(np.count_nonzero(target & stays)),
        target_size=int(np.count_nonzero(target)),
        kept_region=int(np.count_nonzero(region & stays)),
        region_size=top.region_size,
        importance=result,
        notes=(
            *_space_notes(table, unknown, gone),
            *_trial_notes(recorded, table, region_quantile),
            *_failing_notes(recorded),
        ),
        unknown=unknown,
        explore=float(explore),
        found_by_sampler=tuple(dict.fromkeys(name for name, _ in known)),
    )


def check_explore(explore: float) -> None:
    """Raise if ``explore`` is not a valid share of trials."""
    if not is_number(explore) or not 0 <= explore < 1:
        raise SettingsError(
            f"explore must be a number from 0 to below 1 (got {brief(explore)}): the share of "
            "the new trials that are drawn from the old space."
        )


def _sampler_learns(table: TrialTable, top: NestedSets, settings: Settings) -> bool:
    """Return whether a sampler that learns from results drew the trials."""
    return not decided(table.study, settings, top.sorted_by_objective).at_random


def _blocks(region: BoolArray, blocks: int) -> IntArray:
    """Return the block in time of each trial."""
    passed = np.cumsum(region) - 1
    size = max(int(np.count_nonzero(region)), 1)
    return np.asarray(np.clip(passed * blocks // size, 0, blocks - 1))


def _space_notes(
    table: TrialTable, unknown: Sequence[UnknownCondition], gone: Sequence[str]
) -> Iterator[str]:
    """Iterate over what the user should know about the new space."""
    if table.where is not None:
        yield f"The new space is for {table.where.text} only."
    for name in gone:
        yield f"{name}: its condition is unknown, and no trial in the new space has it; left out."
    for entry in unknown:
        why = f"active in {entry.active} of {entry.trials} trials; its condition is unknown"
        if entry.active == entry.trials:
            why = "its domain varies for an unknown reason"
        yield (
            f"{entry.parameter}: {why}. The code does not suggest it: add your own if where a "
            "comment says so. The new space lists it without a condition."
        )


def _trial_notes(recorded: TrialTable, table: TrialTable, region_quantile: float) -> Iterator[str]:
    """Iterate over what the user should know about the trials behind the advice."""
    if region_quantile != 1.0:
        yield (
            "Advice uses all trials, not only the best "
            f"{100 * region_quantile:g} %: those outside are not good, either."
        )
    again = len(recorded) - len(table)
    if again:
        yield (
            f"{again} of {len(recorded)} trials repeat the configuration of another one: each "
            "configuration counts once, with the mean of its objectives."
        )
    elif table.some_parameters and table.parameters and repeating(table) > len(table) / 10:
        yield (
            f"{repeating(table)} of {len(table)} trials have the values of another one in the "
            "chosen parameters, and each counts by itself. If they repeat whole configurations, "
            "choose all parameters, so that each configuration counts once."
        )


def _failing_notes(table: TrialTable) -> Iterator[str]:
    """Iterate over a note for each choice that always failed, while others did not."""
    ended = table.states != State.RUNNING
    failed = ended & ((table.states == State.FAILED) | ~table.finite)
    failed = failed & (table.states != State.PRUNED)
    if 2 * np.count_nonzero(failed) > np.count_nonzero(ended):
        return  # failing is the rule: no single choice is to blame
    for parameter in table.parameters:
        for place, domain in enumerate(parameter.domains):
            if not isinstance(domain, Categorical):
                continue
            there = ended & (parameter.domain_ids == place)
            if not np.any(there & ~failed):
                continue  # all of them failed: what switches the domain on is to blame
            for index, choice in enumerate(domain.choices):
                has = there & (parameter.values == index)
                trials = int(np.count_nonzero(has))
                if trials >= _FEWEST_FAILED and not np.any(has & ~failed):
                    yield (
                        f"All {trials} trials with {parameter.name} == {choice!r} failed, so they "
                        "say nothing about good values. Repair it, or leave it out."
                    )
