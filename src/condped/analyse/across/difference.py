"""``condped.difference``: what matters more or less in one study than in another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import NormalDist
from typing import Any, Unpack, get_args

import numpy as np

from condped.analyse.across.branches import branch_changes, compared_branches, study_branches
from condped.analyse.across.decision import adjusted_p_values, agreement_of
from condped.analyse.across.difference_result import (
    Change,
    Cutoff,
    Difference,
    ParameterDifference,
)
from condped.analyse.across.goals import require_same_goals
from condped.analyse.across.limits import have_same_trials, limits, untestable
from condped.analyse.across.pooled import compared_study
from condped.analyse.across.study import (
    FEWEST_HITS,
    MOST_NAMES,
    ExplainedShare,
    StudyNumbers,
    other_shares,
    study_numbers,
)
from condped.analyse.evidence.evidence import plain_p
from condped.analyse.options import ANALYSIS, AnalysisOptions, Options, Question, open_trials
from condped.arrays import FloatArray, IntArray
from condped.count.ranking import ByLoss, ranked
from condped.count.trials import Trials
from condped.errors import DataError, NoTrialsError, SettingsError
from condped.estimate.statistics.pooling import errors_if_alike
from condped.options import takes
from condped.read.each_study import best_value, naming_study
from condped.read.registry import describe_source
from condped.read.several.studies import is_same_place
from condped.safe_text import brief, listed, shortened
from condped.trials.batch import Batch


@takes(AnalysisOptions, *ANALYSIS)
def difference(
    a: Any,
    b: Any = None,
    *,
    target_quantile: float = 0.1,
    cutoff: Cutoff = "own",
    labels: Sequence[str] | None = None,
    **options: Unpack[AnalysisOptions],
) -> Difference:
    """Compare what mattered in two studies: before and after.

    What a parameter explains is compared, not its importance: importances add up to 1, so if one
    parameter matters more, all others matter less. For the branches that both studies have, the
    result says which ones win in one and lose in the other.

    Parameters
    ----------
    a, b
        The studies before and after; each is anything that :func:`condped.read` takes. Without
        ``b``, ``study`` names two studies of ``a``.
    target_quantile
        γ': the best trials of this share are the target set.
    cutoff
        ``own``: of each study, the best of its own trials. ``common``: of the trials of both taken
        together; each study's target set is what reaches that objective, so its share differs.
    labels
        What to call the studies; by default, their own names if these differ.
    **options
        As for :func:`condped.importance`, the same for both, except ``study``: two names are those
        of the study before and of the one after.

    Examples
    --------
    >>> import condped
    >>> nested = condped.problems.get("nested")
    >>> before, after = nested.sample(300, seed=0), nested.sample(300, seed=1)
    >>> found = condped.difference(before, after, sampling="random")
    >>> found.changed, found["x"].verdict
    ((), 'no evidence')
    """
    parsed = Options.of(difference, options)
    if cutoff not in get_args(Cutoff):
        raise SettingsError(f"cutoff must be one of own, common (got {brief(cutoff)}).")
    question = parsed.question((target_quantile,))
    question = replace(question, intervals=question.intervals or "jackknife")
    chosen = _one_for_each(parsed.reading.get("study"))
    b = _second_source(a, b, parsed.reading.get("study"))
    _require_different(a, b, chosen)
    names = _names(a, b, chosen) if labels is None else _checked_labels(labels)
    both = []
    for name, source, study in zip(names, (a, b), chosen, strict=True):
        with naming_study(name):
            reading = parsed.reading.copy()
            reading["study"] = study
            both.append(open_trials(source, **reading))
    require_same_goals(names, [trials.goals for trials in both])
    value, quantiles = None, [target_quantile] * 2
    if cutoff == "common":
        value, quantiles = _common_cutoff(names, both, question)
    found = [
        study_numbers(name, trials, replace(question, target_quantiles=(quantile,)))
        for name, trials, quantile in zip(names, both, quantiles, strict=True)
    ]
    shares = tuple(one.share for one in found)
    tied = cutoff == "own" and other_shares(shares)
    parameters = _differences(found, question.level, untestable(found, tied=tied))
    before, after = (tuple(one.result.names) for one in found)
    branches = [study_branches(one.name, one.result) for one in found]
    return Difference(
        parameters=tuple(parameters),
        studies=tuple(
            compared_study(one, other.result.names) for one, other in (found, found[::-1])
        ),
        only_before=tuple(name for name in before if name not in after),
        only_after=tuple(name for name in after if name not in before),
        target_quantile=target_quantile,
        cutoff=cutoff,
        cutoff_value=value,
        target_shares=shares,
        level=question.level,
        settings=question.settings,
        comparable=tuple(limits(found, both, shares, cutoff)),
        branches=compared_branches(branches),
        branch_changes=branch_changes(*branches, tied=tied),
        same_trials=have_same_trials(found, both),
        best=tuple(
            None if trials.in_memory is None else best_value(trials.in_memory) for trials in both
        ),
    )


def _one_for_each(study: Any) -> tuple[Any, Any]:
    """Return the name of the study in each source; None if it holds only one."""
    if study is None or isinstance(study, str):
        return study, study
    if isinstance(study, Sequence) and len(study) == 2:
        return study[0], study[1]
    raise SettingsError(
        "study must be one name, or two: of the study before and of the one after (got "
        f"{brief(study)})."
    )


def _second_source(a: Any, b: Any, study: Any) -> Any:
    """Return the source of the second study; raise if there is none."""
    if b is None and (study is None or isinstance(study, str)):
        raise SettingsError(
            f"Two studies are compared (got one source, with study={brief(study)}). Pass a second "
            "source, or two names as study: of the study before and of the one after."
        )
    return a if b is None else b


def _require_different(a: Any, b: Any, chosen: tuple[Any, Any]) -> None:
    """Raise if both studies are one."""
    before, after = chosen
    if before == after and (is_same_place(a, b) or (a is b and before is not None)):
        name = "" if before is None else f"{shortened(before)!r} of "
        source = describe_source(str(a) if isinstance(a, Path) else a)
        raise DataError(
            f"Before and after are the same study: {name}{source}. Name two different ones."
        )


def _checked_labels(labels: Sequence[str]) -> tuple[str, str]:
    pair = () if isinstance(labels, str) else tuple(labels)
    if len(pair) != 2 or pair[0] == pair[1] or not all(isinstance(one, str) for one in pair):
        raise SettingsError(f"labels must be two different names (got {brief(labels)}).")
    return pair[0], pair[1]


def _names(a: Any, b: Any, chosen: tuple[Any, Any]) -> tuple[str, str]:
    """Return what to call the studies: by their own names if these differ, or before and after."""
    own = list(chosen)
    if None in own or own[0] == own[1]:
        own = [_own_name(source) for source in (a, b)]
    if None in own or own[0] == own[1]:
        return "before", "after"
    return str(own[0]), str(own[1])


def _own_name(source: Any) -> str | None:
    if isinstance(source, str | Path):
        return Path(str(source)).name.partition(".")[0] or None
    name = str(getattr(source, "study_name", None) or "")
    return None if not name or name.startswith("no-name-") else name  # Optuna's, for any study


def _common_cutoff(
    names: Sequence[str], both: Sequence[Trials], question: Question
) -> tuple[float, list[float]]:
    """Return the objective that the best share of all trials reaches, and each study's share."""
    losses = [_losses(trials, question) for trials in both]
    every = np.sort(np.concatenate(losses))
    if not len(every):
        raise DataError("Neither study has a trial that counts: there is no common cut-off.")
    (quantile,) = question.target_quantiles
    loss = float(every[max(math.ceil(quantile * len(every)), 1) - 1])
    shares = []
    for name, own in zip(names, losses, strict=True):
        reached = int(np.count_nonzero(own <= loss))
        if reached in (0, len(own)):
            raise DataError(
                f"{'No trial' if not reached else 'Every trial'} of the study {shortened(name)!r} "
                f"reaches the best {100 * quantile:g} % of both: nothing can be compared. Set "
                "cutoff to 'own', or another target_quantile."
            )
        shares.append((reached - 0.5) / len(own))  # rounded up to that many trials
    maximised = both[0].goals[0].direction == "maximize"
    return (-loss if maximised else loss), shares


def _losses(trials: Trials, question: Question) -> FloatArray:
    if len(trials.goals) > 1:
        raise SettingsError(
            f"A common cut-off needs one objective (got {len(trials.goals)}). Name one."
        )
    table = trials.table("A common cut-off")
    levels, used, _, _ = ranked(Batch(table), ByLoss(question.handling))
    return np.asarray(levels if used is None else levels[used], dtype=np.float64)


def _differences(
    found: Sequence[StudyNumbers], level: float, untestable: str | None
) -> list[ParameterDifference]:
    """Compare the parameters of both; those with the smallest p-values come first."""
    one, other = found
    names = [name for name in one.result.names if name in other.result]
    empty = [repr(shortened(study.name)) for study in found if not study.result.names]
    if empty:
        these = (
            f"study {empty[0]} has" if len(empty) == 1 else f"studies {' and '.join(empty)} have"
        )
        raise NoTrialsError(f"The {these} no trials that count: there is nothing to compare.")
    if not names:
        raise DataError(
            f"The studies {shortened(one.name)!r} and {shortened(other.name)!r} have no parameter "
            f"in common: {listed(one.result.names, MOST_NAMES)}; "
            f"{listed(other.result.names, MOST_NAMES)}. Rename their parameters."
        )
    pairs = [(one.explained[name], other.explained[name]) for name in names]
    apart, errors, p_values, adjusted = compare_pairs(pairs, (one.trials, other.trials))
    if untestable is not None:
        p_values, adjusted = np.full((2, len(names)), np.nan)
    reach = NormalDist().inv_cdf(0.5 + level / 2) * errors
    described = [
        _difference(
            name, found, (float(apart[k] - reach[k]), float(apart[k] + reach[k])),
            (float(p_values[k]), float(adjusted[k])), level,
            untestable=untestable,
        )
        for k, name in enumerate(names)
    ]  # fmt: skip
    order = np.argsort(p_values, kind="stable")  # NaN last
    return [described[k] for k in order]


def compare_pairs(
    pairs: Sequence[tuple[ExplainedShare, ExplainedShare]], trials: tuple[int, int]
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return (P,) differences, their errors, p-values and adjusted ones; NaN: not testable."""
    errors = np.array([_error(pair, np.array(trials)) for pair in pairs])
    apart = np.array([after.value - before.value for before, after in pairs])
    p_values = np.array([math.erfc(z) for z in np.abs(apart) / errors / math.sqrt(2.0)])
    return apart, errors, p_values, adjusted_p_values(p_values, 2)


def _error(pair: tuple[ExplainedShare, ExplainedShare], trials: IntArray) -> float:
    """Return the standard error of a difference, as if both studies were alike; NaN: unknown."""
    if not all(one.known for one in pair):
        return math.nan
    sampling, chance = (
        np.array([getattr(one, part) for one in pair]) for part in ("sampling", "chance")
    )
    errors = errors_if_alike(sampling, chance, trials)
    # An error of 0 could not be estimated: its variance seems to be below 0.
    return float(np.sqrt((errors**2).sum())) if (errors > 0).all() else math.nan


def _difference(
    name: str,
    found: Sequence[StudyNumbers],
    interval: tuple[float, float],
    p_values: tuple[float, float],
    level: float,
    *,
    untestable: str | None,
) -> ParameterDifference:
    """Describe one parameter; ``p_values`` are its own and the adjusted one."""
    before, after = (one.explained[name].value for one in found)
    p_value, adjusted = p_values
    apart = after - before
    agreement = agreement_of(adjusted)
    changed: Change = "more" if apart > 0 else "less"
    verdict = changed if agreement == "differs" else agreement
    unknown = verdict == "not testable"
    reason = ""
    if unknown:
        reason = untestable or _why_untestable([one.explained[name] for one in found])
    return ParameterDifference(
        name=name,
        before=found[0].result[name].importance,
        after=found[1].result[name].importance,
        explained_before=plain_p(before),
        explained_after=plain_p(after),
        difference=None if unknown else apart,
        low=None if unknown else interval[0],
        high=None if unknown else interval[1],
        p_value=plain_p(p_value),
        adjusted_p_value=plain_p(adjusted),
        verdict=verdict,
        sentence=_sentence(name, found, verdict, interval, level, untestable=untestable),
        reason=reason,
    )


def _why_untestable(explained: Sequence[ExplainedShare]) -> str:
    """Say why a parameter of both studies cannot be compared."""
    before, after = (one.hits for one in explained)
    if not before and not after:
        return "no target trial has it in either study"
    if max(before, after) < FEWEST_HITS:
        return f"fewer than {FEWEST_HITS} target trials have it in either study"
    few = f"fewer than {FEWEST_HITS} target trials have it"
    for hits, when in ((before, "before"), (after, "after")):
        if hits < FEWEST_HITS:
            return f"{few if hits else 'no target trial has it'} {when}"
    return "there are too few trials to estimate the error of what it explains"


def _sentence(
    name: str,
    found: Sequence[StudyNumbers],
    verdict: Change,
    interval: tuple[float, float],
    level: float,
    *,
    untestable: str | None,
) -> str:
    """Say what changed."""
    label = shortened(name)
    explained = [one.explained[name] for one in found]
    if verdict == "not testable":
        hits = [one.hits for one in explained]
        if untestable is not None or min(hits) >= FEWEST_HITS:
            return f"{label}: not testable, since {untestable or _why_untestable(explained)}."
        return (
            f"{label}: not testable. {hits[0]} target trials have it before, {hits[1]} after; "
            f"{FEWEST_HITS} are needed in both."
        )
    before, after = (f"{round(100 * one.value)} %" for one in explained)
    low, high = (f"{round(100 * end):+d}" for end in interval)
    change = (
        f"{before} of reaching the target set before, {after} after; difference "
        f"{low} to {high} points, {100 * level:g} % interval"
    )
    if verdict == "no evidence":
        return f"{label}: no evidence of a change. It explains {change}."
    if verdict == "unclear":
        return f"{label}: unclear whether it changed. It explains {change}."
    return f"{label} matters {verdict} than before: it explains {change}."
