"""A scripted agent, which knows nothing but what tools answer, takes the right next step."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import optuna
import pytest

from condped.live.agents.desk import Desk
from condped.live.agents.server import make_server
from tests.live.agents.asking import Asking, asking


@dataclass(frozen=True)
class Decision:
    """What the agent decides to do, with which parameters, and after which calls."""

    step: str
    parameters: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()


def decide(ask: Asking, study: str) -> Decision:
    """Look at a study as an agent would: status, ties, verdicts, endings, branches, advice."""
    found = ask("importance", study=study)
    called = ("importance",)
    if found["status"] != "ok":
        return Decision("gather trials", (), called)
    if found["target"]["tie"] is not None:
        return Decision("finer metric", (), called)
    trials = found["trials"]
    if trials["pruned"] > trials["used"]:
        endings = ask("importance", study=study, target="pruned")
        causes = tuple(
            one["parameter"] for one in endings["parameters"] if one["verdict"] == "matters"
        )
        return Decision("look at pruning", causes, (*called, "importance"))
    matters = [one for one in found["parameters"] if one["verdict"] == "matters"]
    if not matters:
        return Decision("gather trials", (), called)
    if any(one["switches"] for one in matters):
        return _among_branches(ask, study)
    advice = ask("advise", study=study)
    changed = tuple(one["parameter"] for one in advice["steps"] if one["proposal"])
    return Decision("narrow" if changed else "leave", changed, (*called, "advise"))


def _among_branches(ask: Asking, study: str) -> Decision:
    """Drop branches that reach nothing good, if the advice does; else look at what is inside."""
    branches = ask("branches", study=study)["branches"]
    lost = [one for one in branches if one["target_trials"] == 0]
    gates, names = {one["gate"] for one in lost}, tuple(one["branch"] for one in lost)
    steps = ask("advise", study=study)["steps"]
    dropped = any(one["parameter"] in gates and one["proposal"] for one in steps)
    called = ("importance", "branches", "advise")
    return Decision("drop branch" if dropped else "look inside", names, called)


RIGHT = {
    "maximised": Decision("narrow", ("lr",), ("importance", "advise")),
    "tied": Decision("finer metric", (), ("importance",)),
    "noisy": Decision("gather trials", (), ("importance",)),
    "pruned": Decision("look at pruning", ("lr",), ("importance", "importance")),
    "losing": Decision("drop branch", ("knn",), ("importance", "branches", "advise")),
}


@pytest.mark.parametrize("study", RIGHT)
def test_a_scripted_agent_takes_the_right_next_step(study: str, client: Asking) -> None:
    """From verdicts, ties, the account, branches and advice, the right decision follows."""
    assert decide(client, f"tuning:{study}") == RIGHT[study]


@pytest.mark.parametrize(
    ("study", "tool", "action"),
    [
        ("maximised", "importance", "ask for advice"),
        ("maximised", "advise", "narrow the space"),
        ("tied", "importance", "measure more finely"),
        ("tied", "advise", "measure more finely"),
        ("noisy", "importance", "gather more trials"),
        ("noisy", "advise", "gather more trials"),
        ("noisy", "forecast", "gather more trials"),
        ("pruned", "importance", "explain the endings"),
        ("losing", "branches", "leave out a branch"),
        ("losing", "advise", "narrow the space"),
    ],
)
def test_the_next_step_that_is_told_is_the_right_one(
    study: str, tool: str, action: str, client: Asking
) -> None:
    """An agent that only follows next_step is led the same way."""
    step = client(tool, study=f"tuning:{study}")["next_step"]
    assert step["action"] == action
    assert step["sentence"]


@pytest.mark.parametrize("failing", [36, 40])
@pytest.mark.parametrize("tool", ["importance", "branches", "advise", "forecast", "effects"])
def test_failures_are_looked_at_before_more_trials_are_run(
    failing: int, tool: str, tmp_path: Path
) -> None:
    """Where most trials fail, or all, and the rest shows nothing, more of them would fail, too."""
    storage = f"sqlite:///{tmp_path / 'failing.db'}"
    study = optuna.create_study(storage=storage, study_name="failing")
    unit = optuna.distributions.FloatDistribution(0, 1)
    for place in range(40):
        fails = place < failing
        study.add_trial(
            optuna.trial.create_trial(
                params={"x": (7 * place % 40) / 40},
                distributions={"x": unit},
                state=optuna.trial.TrialState.FAIL if fails else optuna.trial.TrialState.COMPLETE,
                value=None if fails else place % 3,
            )
        )
    with asking(make_server(Desk([storage]))) as client:
        step = client(tool, study="failing")["next_step"]
    assert step["action"] == "explain the endings"
    assert step["sentence"].startswith(f"{failing} of 40 ended trials are failed")
    assert ("their errors" in step["sentence"]) == (failing == 40)


def test_a_maximised_study_is_narrowed_around_its_best_values(client: Asking) -> None:
    """The advice keeps 0.01, where the objective is highest, and code draws from the new range."""
    advice = client("advise", study="tuning:maximised")
    (step,) = [one for one in advice["steps"] if one["parameter"] == "lr"]
    low, high = (float(end) for end in step["proposal"].split("]")[0].strip("[").split(","))
    assert low < 1e-2 < high
    assert high / low < 1e3
    assert 'suggest_float("lr"' in advice["optuna_code"]
    assert advice["kept_target"] == advice["target"]["trials"]


def test_inside_a_losing_branch_its_own_best_trials_are_explained(client: Asking) -> None:
    """Should the branch stay, its own evidence tells what to look at."""
    branches = client("branches", study="tuning:losing")["branches"]
    (lost,) = [one for one in branches if one["branch"] == "knn"]
    assert lost["target_trials"] == 0
    assert [(one["parameter"], one["verdict"]) for one in lost["parameters"]] == [
        ("radius", "matters")
    ]
    inside = client("importance", study="tuning:losing", where=lost["condition"])
    assert inside["trials"]["used"] == lost["trials"]
