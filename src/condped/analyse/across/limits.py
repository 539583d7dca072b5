"""Whether two studies can be compared at all, and what limits the comparison."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from condped.analyse.across.difference_result import Cutoff
from condped.analyse.across.pooled import drawn_alike
from condped.analyse.across.studies import content_of
from condped.analyse.across.study import MOST_NAMES, StudyNumbers, other_shares
from condped.count.trials import Trials
from condped.safe_text import listed, percent, shortened

_MUCH_LARGER = 2.0  # ratio of trials from which on it is mentioned


def untestable(found: Sequence[StudyNumbers], *, tied: bool) -> str | None:
    """Return why no parameter can be compared; None if those with enough target trials can."""
    if any(study.result.reason is not None for study in found):
        return "no conclusion is possible for a study"
    if len(drawn_alike(found)) < len(found):
        return "one study was drawn at random, the other was not"
    return "ties make the sizes of the target sets too different" if tied else None


def have_same_trials(found: Sequence[StudyNumbers], both: Sequence[Trials]) -> bool:
    """Return whether both studies have the same trials; False if these are not in memory."""
    one, other = (trials.in_memory for trials in both)
    if one is None or other is None or any(study.result.reason is not None for study in found):
        return False
    return content_of(one) == content_of(other)


def limits(
    found: Sequence[StudyNumbers],
    both: Sequence[Trials],
    shares: tuple[float, ...],
    cutoff: Cutoff,
) -> Iterator[str]:
    """Iterate over what limits the comparison."""
    one, other = found
    undetermined = [study for study in found if study.result.reason is not None]
    for study in undetermined:
        name = shortened(study.name)
        yield f"No conclusion is possible for the study {name}: {study.result.reason}"
    if undetermined:
        return
    for own, others in ((one, other), (other, one)):
        names = [name for name in own.result.names if name not in others.result]
        if names:
            yield f"Only {shortened(own.name)} has {listed(names, MOST_NAMES)}."
    for name in one.result.names:
        if name in other.result and one.domains[name] != other.domains[name]:
            yield (
                f"{shortened(name)} has different domains: {one.domains[name]} in "
                f"{shortened(one.name)}, {other.domains[name]} in {shortened(other.name)}. A wider "
                "one lets a parameter explain more."
            )
    goals = [" and ".join(goal.name for goal in trials.goals) for trials in both]
    if goals[0] != goals[1]:
        names = [shortened(goal) for goal in goals]
        yield f"The objectives have different names: {names[0]} and {names[1]}."
    sizes = sorted((study.trials, study.name) for study in found)
    if sizes[1][0] >= _MUCH_LARGER * max(sizes[0][0], 1):
        yield (
            f"{shortened(sizes[1][1])} has {sizes[1][0]:,} trials, {shortened(sizes[0][1])} "
            f"{sizes[0][0]:,}: errors allow for it, and the smaller one limits what can be found."
        )
    yield from _samplers(found)
    if cutoff == "own" and other_shares(shares):
        yield (
            f"Ties at the cut-offs: {percent(shares[0])} of {shortened(one.name)} and "
            f"{percent(shares[1])} of {shortened(other.name)} are in the target sets. What a "
            "parameter explains depends on this share, so nothing is tested. Set cutoff to "
            "'common', or a higher target_quantile."
        )
    if cutoff == "common":
        each = " and ".join(
            f"{percent(share)} of {shortened(study.name)}"
            for share, study in zip(shares, found, strict=True)
        )
        yield (
            f"One cut-off for both: it is reached by {each}. What is explained also depends on "
            "this share."
        )
    else:
        yield "Each study is compared within itself: its target set is the best of its own trials."


def _samplers(found: Sequence[StudyNumbers]) -> Iterator[str]:
    """Say if one study was drawn at random and one was not, or both were not."""
    learns = [study.result.evidence.sampling for study in found]
    adaptive = [not study.independent for study in found]
    find = (
        "To find a change, draw some 300 trials of each study at random, for example with Optuna's "
        "RandomSampler, and compare these."
    )
    if adaptive[0] != adaptive[1]:
        yield (
            "One study was drawn without regard to results, the other was not. What a parameter "
            f"explains depends on where trials were drawn, so no parameter is compared. {find} "
            "Where both were, set sampling to 'random'. "
            f"{shortened(found[0].name)}: {learns[0]} {shortened(found[1].name)}: {learns[1]}"
        )
    elif all(adaptive):
        yield (
            "Neither study was drawn at random. Errors allow for the luck of a sampler that "
            f"learns, so a change of what a parameter explains is hardly ever found. {find}"
        )
