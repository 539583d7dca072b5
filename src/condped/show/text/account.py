"""The question that a result answers, and what its numbers are based on, in sentences."""

from __future__ import annotations

import math
from dataclasses import asdict

from condped.analyse.importance.account import Account
from condped.analyse.importance.result import ImportanceResult
from condped.analyse.importance.ties import is_notable
from condped.arrays import FloatArray
from condped.estimate.settings import BaselineSettings, Settings
from condped.safe_text import listed, percent, printable, shortened
from condped.show.text.layout import wrapped_each

_OTHERS = {  # by outcome
    "failed": "ended, pruned ones included",
    "pruned": "completed; failed ones are left out",
    "nonfinite": "completed; failed and pruned ones are left out",
    "infeasible": "completed; failed and pruned ones are left out",
    "target": "ended, failed and pruned ones included",
}


def headline(
    account: Account, settings: Settings | BaselineSettings, target_quantile: float | None
) -> str:
    """Return the question that a result answers."""
    if isinstance(settings, BaselineSettings) and settings.forest:
        (goal,) = account.objectives
        return f"What {shortened(goal.name)} depends on in {account.trials.used} trials, by " + (
            settings.label
        )
    if account.outcome is not None:
        led = {"failed": "failing", "pruned": "being pruned", "infeasible": "being infeasible",
               "nonfinite": "an objective that is not finite"}  # fmt: skip
        what = led.get(account.outcome, "the target set")
        return f"What led to {what} in {account.trials.used} trials"
    return f"What mattered for {_question_text(account, settings, target_quantile)}"


def _question_text(
    account: Account, settings: Settings | BaselineSettings, target_quantile: float | None
) -> str:
    """Return what importances are about: reaching which trials, out of how many."""
    best = "share γ'" if target_quantile is None else percent(best_share(account, target_quantile))
    inside = ""
    if (settings.region_quantile or 1) < 1:
        share = _region_share(account, settings.region_quantile or 1)
        inside = f" inside the best {percent(share)}"
    by = goals(account)
    says = f", by {settings.label}" if isinstance(settings, BaselineSettings) else ""
    used = account.trials.used
    return f"reaching the best {best}{inside} of {used} trials ({by}){says}"


def headline_of(result: ImportanceResult) -> str:
    """Return the question that importances at one target quantile answer."""
    return headline(result.account, result.settings, result.target_quantile)


def advice_headline(result: ImportanceResult) -> str:
    """Return the question that advice from these importances answers."""
    about = _question_text(result.account, result.settings, result.target_quantile)
    return f"What to do next, for {about}"


def best_share(account: Account, target_quantile: float) -> float:
    """Return the target quantile, or the share in the target set if ties make it much larger."""
    tie = account.tie(target_quantile)
    if tie is None or not tie.notable or tie.kind == "objectives":
        return target_quantile
    return tie.used_share


def pairs_headline(account: Account, target_quantile: float) -> str:
    """Return the question that joint effects answer."""
    used, best = account.trials.used, percent(best_share(account, target_quantile))
    return f"Pairs that together reach the best {best} of {used} trials ({goals(account)})"


def effects_headline(account: Account, target_quantile: float) -> str:
    """Return the question that effects answer."""
    used, best = account.trials.used, percent(best_share(account, target_quantile))
    sets = f"the target set is the best {best}"
    return f"What values reached in {used} trials ({goals(account)}); {sets}"


def highest_first(importance: FloatArray) -> list[int]:
    """Return the places of the parameters of a sweep, given (T, P); the highest peak first."""
    peaks = importance.max(axis=0, initial=0.0)
    return sorted(range(len(peaks)), key=lambda place: -peaks[place])


def goals(account: Account) -> str:
    """Return what counts as good: the direction and name of each objective."""
    ends = {"minimize": "lowest", "maximize": "highest"}
    each = [f"{ends[goal.direction]} {shortened(goal.name)}" for goal in account.objectives]
    return each[0] if len(each) == 1 else f"by Pareto rank of {', '.join(each)}"


def account_lines(account: Account, settings: Settings | BaselineSettings, sets: str) -> list[str]:
    """Return what was used and what was left out, in sentences."""
    lines = trial_lines(account, _set_sizes(account, settings, sets))
    if account.outcome is not None:
        others = _OTHERS.get(account.outcome, _OTHERS["target"])
        lines.append(f"Compared with all other trials that {others}.")
    lines += data_lines(account)
    notes = [printable(note) for note in account.notes]
    if isinstance(settings, BaselineSettings):
        return wrapped_each([*lines, *notes, settings.explains])
    if settings.method != "paper":
        lines.append(f"Method: {settings.method}.")
    if settings.measure != "within":
        lines.append(f"Measure: {settings.measure}.")
    if settings.reference != "region":
        lines.append("Compared with a uniform distribution over the space, not the region set.")
    return wrapped_each([*lines, *notes])


def trial_lines(account: Account, sets: str = "") -> list[str]:
    """Return how many trials were used, and how the others were treated, in sentences."""
    trials, handling = account.trials, account.handling
    lines = [f"{trials.used} of {trials.total} trials used{sets}."]
    treatments = {"drop": "left out", "worst": "counted as worst", "keep": "counted like others"}
    how = {"running": "drop", **asdict(handling)}
    words = {"running": "still running", "nonfinite": "without a finite objective"}
    aside = {ending: getattr(trials, ending) for ending in how}
    named = [
        f"{count} {words.get(ending, ending)} ({treatments[how[ending]]})"
        for ending, count in aside.items()
        if count
    ]
    if named:
        lines.append(f"Of all trials: {', '.join(named)}.")
    return lines


def data_lines(account: Account) -> list[str]:
    """Return how regimes, domains and columns were treated, in sentences."""
    lines = []
    for dropped in account.dropped_regimes:
        lines.append(
            f"{shortened(dropped.parameter)}: {dropped.regimes} "
            f"{'regime' if dropped.regimes == 1 else 'regimes'} with a single trial each left out."
        )
    for entry in account.pooled:
        lines.append(
            f"{shortened(entry.parameter)}: {entry.domains} domains that vary with other "
            f"parameters were pooled into {entry.regimes} "
            f"{'regime' if entry.regimes == 1 else 'regimes'}."
        )
    if account.ignored_columns:
        lines.append(f"Columns not used: {listed(account.ignored_columns, most=5)}.")
    if account.space_inferred:
        lines.append("The domains were inferred from the values; give a space to set them.")
    return lines


def _set_sizes(account: Account, settings: Settings | BaselineSettings, sets: str) -> str:
    """Return the sizes of the compared sets; empty if there are none."""
    if isinstance(settings, BaselineSettings) and settings.forest:
        return ""
    # With filtering each parameter has sets of its own.
    own = isinstance(settings, BaselineSettings) and settings.absent == "filtering"
    region = f"{account.region_size} in the region set"
    requested = math.ceil((settings.region_quantile or 1) * account.trials.used)
    if not own and account.region_size > requested:
        region += f" ({requested} without ties)"
    return f"; {'at most ' if own else ''}{region}, {sets}"


def _region_share(account: Account, region_quantile: float) -> float:
    """Return the region quantile, or the share in the region set if ties make it much larger."""
    used = max(account.trials.used, 1)
    tied = is_notable(math.ceil(region_quantile * used), account.region_size, used)
    return account.region_size / used if tied else region_quantile
