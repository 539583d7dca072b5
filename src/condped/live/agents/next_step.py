"""What to do next, judging by the trials of a study."""

from __future__ import annotations

from collections.abc import Callable

import condped
from condped.errors import CondpedError
from condped.live.agents.answers.fields import MOST_SENTENCE, Action, NextStep
from condped.safe_text import listed, shortened

_FINER = (
    "A finer metric would separate them, such as log loss instead of accuracy, or a larger "
    "validation set."
)
_NOT_CLEAR = "advice, which counts each configuration once, finds no clear evidence."
_CAUSES = {"pruned": "the pruner's settings", "failed": "their errors"}
_MOST_NAMES = 5
_EXPECTED = 3.0  # target trials of a branch if it were as good as others; 0 by chance in 5 %
_MOSTLY = 0.5  # share of the ended trials above which those left out are explained first


def after_importance(result: condped.ImportanceResult) -> NextStep:
    """Return what to do next, from importances alone."""
    first = _hindrance(result) or _endings(result)
    if first is not None:
        return first
    names = [one.name for one in result.parameters if _matters(result, one.name)]
    if result.account.outcome is not None:
        return _step(
            "keep the space",
            f"{listed(names, _MOST_NAMES)} {_decide(names)} which trials are "
            f"{result.account.outcome}: call effects, or importance without a target, before "
            "excluding values.",
        )
    return _step(
        "ask for advice",
        f"{listed(names, _MOST_NAMES)} {_verb(names)}: call advise to see which values to keep.",
    )


def after_branches(found: condped.Branches, advise: Callable[[], condped.Advice]) -> NextStep:
    """Return what to do next, from where the target trials lie among the branches.

    ``advise`` is called for a branch that reached nothing good, so that both tools agree on it.
    """
    first = _hindrance(found.whole)
    if first is not None:
        return first
    losing = _losing(found)
    if losing is None:
        return after_importance(found.whole)
    gate, text = losing
    try:
        advice = advise()
    except CondpedError:  # not for this selection of trials
        return _step("ask for advice", f"{text} Call advise to check whether to leave it out.")
    if any(one.parameter == gate for one in advice.changes):
        return _step(
            "leave out a branch",
            f"{text} Leave this branch out: advise returns the new space. What matters inside it "
            "is of interest only if it has to stay.",
        )
    why = _hindrance(advice.importance)
    return _step(
        "keep the space" if why is None else why.action,
        f"{text} That is not enough to leave it out: "
        f"{advice.why_nothing if why is None and not advice.changes else _NOT_CLEAR}",
    )


def after_advice(advice: condped.Advice) -> NextStep:
    """Return what to do next, from a narrower space and what it would cost."""
    first = _hindrance(advice.importance)
    if first is not None:
        return first
    changes = [f"{one.parameter} to {_label(one.proposal)}" for one in advice.changes]
    wider = [f"{one.parameter} to {_label(one.proposal)}" for one in advice.widenings]
    become = "becomes" if len(advice.dropped) == 1 else "become"
    gone = f" {listed(advice.dropped, _MOST_NAMES)} {become} inactive." if advice.dropped else ""
    if changes:
        text = f"Narrow {'; '.join(changes[:_MOST_NAMES])}.{gone} {advice.risk}"
        return _step("narrow the space", text)
    if wider:
        text = f"The best trials crowd against a bound: widen {'; '.join(wider[:_MOST_NAMES])}."
        return _step("widen the space", text)
    return _step(
        "keep the space",
        f"Leave the space as it is: {advice.why_nothing} Call effects for more about a "
        "parameter's values.",
    )


def _hindrance(result: condped.ImportanceResult) -> NextStep | None:
    """Return what has to be done before looking at parameters; None if nothing."""
    tie = result.tie
    if tie is not None and tie.notable and tie.kind in ("best", "cut-off"):
        return _step("measure more finely", f"{tie.message} {_FINER}")
    if result.status != "ok" and result.account.outcome is not None:
        return _step("keep the space", f"Nothing to explain: {result.reason}")
    if result.status == "ok" and result.evidence.enough:
        return None
    # More trials would be lost as well.
    ends = _endings(result)
    if ends is not None:
        return ends
    if result.status != "ok":
        return _step("gather more trials", f"No conclusion is possible yet: {result.reason}")
    return _step("gather more trials", f"Do not narrow anything yet. {result.evidence.message}")


def _endings(result: condped.ImportanceResult) -> NextStep | None:
    """Return a step that explains the trials that were left out, if they are the majority."""
    counts = result.account.trials
    ended = counts.total - counts.running
    lost = {"pruned": counts.pruned, "failed": counts.failed}
    why = max(lost, key=lost.__getitem__)
    if result.account.outcome is not None or lost[why] <= _MOSTLY * ended or not counts.left_out:
        return None
    if lost[why] == ended:
        return _step(
            "explain the endings",
            f"{ended} of {ended} ended trials are {why}, so there is nothing to compare them with: "
            f"look at {_CAUSES[why]} before running more.",
        )
    return _step(
        "explain the endings",
        f"{lost[why]} of {ended} ended trials are {why}, and not in these numbers: call importance "
        f"with target='{why}' to see which values lead to that.",
    )


def _losing(found: condped.Branches) -> tuple[str, str] | None:
    """Return the gate of a branch that was tried often without success, and a sentence on it."""
    whole = found.whole
    for node in found.roots:
        if node.verdict != "matters":
            continue
        for branch in node.branches:
            expected = branch.trials * whole.target_size / max(whole.account.region_size, 1)
            if not branch.target_trials and expected >= _EXPECTED:
                return node.parameter, (
                    f"{branch.condition}: none of its {branch.trials} trials is in the target set, "
                    f"and {node.parameter} matters."
                )
    return None


def _matters(result: condped.ImportanceResult, name: str) -> bool:
    return result.evidence[name].verdict == "matters"


def _verb(names: list[str]) -> str:
    return "matters" if len(names) == 1 else "matter"


def _decide(names: list[str]) -> str:
    return "decides" if len(names) == 1 else "decide"


def _label(domain: object) -> str:
    return str(getattr(domain, "label", domain))


def _step(action: Action, text: str) -> NextStep:
    return NextStep(action=action, sentence=shortened(text.strip(), MOST_SENTENCE))
