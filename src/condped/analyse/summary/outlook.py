"""Sentences about plateaus, and on what to expect from more trials."""

from __future__ import annotations

from collections.abc import Sequence

from condped.analyse.effects.sentences import trials_of
from condped.analyse.summary.result import BestTrial, Front, Progress
from condped.safe_text import shortened

SORTED = (
    "The rows are sorted by the objective, so their order may not be that of time, and nothing is "
    "said about improvements."
)
_NEXT = 100  # trials that the outlook is about
_FEW = 20  # trials below which a plateau says nothing
_MANY_SHARE, _SHARE = 5, 0.05  # trials with the best value from which on it is a ceiling


def too_coarse(shared: int, trials: int) -> bool:
    """Return whether so many trials share the best value that the objective has a ceiling."""
    return shared >= max(_MANY_SHARE, _SHARE * trials)


def plateau_sentences(
    progress: Sequence[Progress], best: Sequence[BestTrial], front: Front | None
) -> tuple[str, ...]:
    """Say for each objective how long nothing has improved, and how many trials share the best."""
    several = front is not None
    sentences = []
    for one, trial in zip(progress, best, strict=True):
        name = f" of {shortened(one.objective)}" if several else ""
        complete = "" if one.ago == one.since else f" ({one.since:,} of them complete)"
        when = (
            f"The last trial improved the best value{name}"
            if not one.since
            else f"No improvement{name} in the last {trials_of(one.ago)}{complete}"
        )
        ties = f"; {trial.shared:,} trials share the best value" if trial.shared > 1 else ""
        sentences.append(f"{when}{ties}.")
        if too_coarse(trial.shared, one.trials):
            sentences.append(
                "The objective cannot separate them: a finer metric would, such as log loss "
                "instead of accuracy, or more data to validate on."
            )
    if front is not None:
        grew = f"it last grew in trial {front.last}"
        sentences.append(f"{trials_of(front.size)} on the Pareto front; {grew}.")
    return tuple(sentences)


def outlook_sentence(
    progress: Sequence[Progress], front: Front | None, adaptive: bool | None
) -> str | None:
    """Say what to expect from more trials; None if nothing can be said.

    Each of n + m random draws is equally likely to be the best, so the best of all is among the
    last m with chance m / (n + m); an improvement is that rare, or rarer if values can tie.
    """
    if len(progress) != 1 or front is not None:
        return None
    (one,) = progress
    if one.trials < _FEW or adaptive is None:
        return None
    if not adaptive:
        chance = 100 * _NEXT / (one.trials + _NEXT)
        return (
            f"If drawn at random like these, the next {_NEXT} trials improve the best value with a "
            f"chance of at most {chance:.2g} % ({_NEXT} / {one.trials + _NEXT:,})."
        )
    return (
        "The sampler learns from results, so the chance of an improvement cannot be computed "
        f"from the number of trials. So far: {_improvements_so_far(one)}."
    )


def _improvements_so_far(one: Progress) -> str:
    if not one.improved:
        return f"in {trials_of(one.trials)} the best value never improved on the first"
    gains = [entry.gain for entry in one.improvements if entry.gain is not None]
    last = ""
    if gains:
        latest = " and ".join(f"{gain:.3g}" for gain in gains[-2:])
        last = f", most recently by {latest}" if len(gains) > 1 else f", by {latest}"
    return f"in {trials_of(one.trials)} the best value improved {_times(one.improved)}{last}"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"
