"""Branches that win in some studies and lose in others, against plain counting."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import condped
from condped.analyse.across.branches import StudyBranch
from tests.analyse.across.families import OPTIONS, family, trials


def by_branch(across: condped.Across) -> dict[tuple[str, str], StudyBranch]:
    """Return the branches by label and study."""
    return {(one.branch, one.study): one for one in across.branches}


def target_of(study: list[dict[str, Any]], share: float = 0.1) -> np.ndarray:
    """Return which trials are the best, by sorting."""
    losses = np.array([trial["loss"] for trial in study])
    return np.asarray(losses <= np.sort(losses)[math.ceil(share * len(losses)) - 1])


def hypergeometric(hits: int, drawn: int, all_hits: int, every: int) -> float:
    """Return the two-sided chance of so many hits, by counting all ways."""

    def ways(numbers: range) -> float:
        found = sum(
            math.comb(all_hits, k) * math.comb(every - all_hits, drawn - k) for k in numbers
        )
        return found / math.comb(every, drawn)

    fewer, more = ways(range(hits + 1)), ways(range(hits, min(drawn, all_hits) + 1))
    return min(1.0, 2 * min(fewer, more))


def test_branches_are_what_grouping_the_trials_gives() -> None:
    """Trials, target trials, medians, best values and chances, counted by hand."""
    studies = family()
    found = by_branch(condped.across(studies, **OPTIONS))
    assert len(found) == 12
    for (label, name), branch in found.items():
        study, target = studies[name], target_of(studies[name])
        inside = np.array([trial["model"] == label for trial in study])
        losses = np.array([trial["loss"] for trial in study])
        assert (branch.trials, branch.of) == (inside.sum(), len(study))
        assert (branch.target_trials, branch.target_of) == ((inside & target).sum(), target.sum())
        assert branch.median == pytest.approx(np.median(losses[inside]))
        assert branch.best == losses[inside].min()
        hits, every = int((inside & target).sum()), int(target.sum())
        expected = hypergeometric(hits, int(inside.sum()), every, len(study))
        assert branch.p_value == pytest.approx(expected, rel=1e-6)


def test_winners_and_losers_are_those_of_the_family() -> None:
    """The network wins in all studies but one, in which the SVM does."""
    found = by_branch(condped.across(family(), **OPTIONS))
    for name in ("adult", "cifar", "higgs"):
        assert found["network", name].standing == "wins"
        assert found["svm", name].standing == "loses"
    assert found["svm", "covertype"].standing == "wins"
    assert found["network", "covertype"].standing == "loses"


def test_no_branch_wins_where_none_is_better() -> None:
    """Of 30 studies in which the objective is noise, none names a winner."""
    studies = {f"study {seed}": trials(seed, None, 80) for seed in range(30)}
    found = condped.across(studies, **OPTIONS).branches
    assert len(found) == 90
    assert {one.standing for one in found} == {"no evidence"}


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_learning_samplers_are_compared_by_the_first_trials_of_each_branch(direction: Any) -> None:
    """The p-value is that of scipy's rank-sum test, moved by luck either way."""
    studies = [trials(seed, "network", 100) for seed in (5, 6)]
    sign = 1 if direction == "minimize" else -1
    for trial in (one for study in studies for one in study):
        trial["loss"] *= sign
    found = condped.across(studies, sampling="ordered", direction=direction, **OPTIONS)
    branches = [one for one in found.branches if one.branch == "network"]
    for branch, study in zip(branches, studies, strict=True):
        inside = np.array([trial["model"] == "network" for trial in study])
        losses = sign * np.array([trial["loss"] for trial in study])
        told = stats.mannwhitneyu(
            losses[inside][:12], losses[~inside][:12], use_continuity=False, method="asymptotic"
        )
        z = stats.norm.isf(told.pvalue / 2)
        wanted = 2 * stats.norm.sf(z, [-1.3, 1.3]).mean()
        assert branch.p_value == pytest.approx(wanted, rel=1e-6)
        assert branch.standing == "wins"


def test_cuts_that_were_found_from_trials_are_one_branch() -> None:
    """Where each study shows another cut of a number, what it switches on is what is compared."""
    studies = {}
    for seed in range(3):
        rng = np.random.default_rng(seed)
        studies[f"run {seed}"] = [
            {"c": c, "x" if c < 0.5 else "y": rng.uniform(), "loss": c + 0.1 * rng.normal()}
            for c in rng.uniform(size=150)
        ]
    found = condped.across(studies, objective="loss").branches
    assert len({one.branch for one in found}) == 2
    assert {(one.study, one.standing) for one in found if one.branch.startswith("<")} == {
        (name, "wins") for name in studies
    }


def test_a_gate_of_one_study_is_not_compared() -> None:
    """Where only one study has conditions there is nothing to compare."""
    rng = np.random.default_rng(0)
    other = [{"dropout": rng.uniform(), "loss": rng.uniform()} for _ in range(50)]
    found = condped.across({"a": trials(0, "svm"), "b": other}, objective="loss")
    assert found.branches == ()
    assert found.branch_rows() == []


def test_rows_have_one_record_per_branch_and_study() -> None:
    """The fields are those of docs/reference/output.md."""
    rows = condped.across(family(), **OPTIONS).branch_rows()
    assert [row["study"] for row in rows[:4]] == list(family())
    assert list(rows[0]) == [
        "gate", "branch", "study", "trials", "target_trials", "of", "target_of", "median", "best",
        "p_value", "standing",
    ]  # fmt: skip
