"""Real studies with planted dead parameters: scikit-learn models, by accuracy, with many ties."""

from __future__ import annotations

import re

import pytest

import condped
from benchmarks.studies.load import StoredStudy, stored_studies
from condped import ImportanceResult

QUANTILE = 0.3


@pytest.fixture(scope="module")
def found() -> list[tuple[StoredStudy, ImportanceResult]]:
    """Return 22 studies after 100 trials, half of Optuna 5's default sampler."""
    studies = stored_studies(objectives=["wine_models"], samplers=["tpe", "tpe_univariate"])
    return [
        (study, condped.importance(**study.source(100), target_quantile=QUANTILE))
        for study in studies
    ]


def test_a_dead_seed_hardly_ever_matters_and_the_model_does(
    found: list[tuple[StoredStudy, ImportanceResult]],
) -> None:
    """Before the sampler was replayed, every third dead parameter of such studies "mattered"."""
    assert len(found) == 22
    # At a level of .05 one of them may: as many as chance has it.
    assert [one.evidence["dead_seed"].verdict for _, one in found].count("matters") <= 1
    dead = [one.evidence[name].verdict for study, one in found for name in study.dead]
    assert dead.count("matters") <= 0.08 * len(dead)
    assert [one.evidence["model"].verdict for _, one in found].count("matters") >= 15


def test_the_text_says_first_that_the_objective_is_tied(
    found: list[tuple[StoredStudy, ImportanceResult]],
) -> None:
    """Where it is, with the share that was used."""
    large = [one for _, one in found if one.target_size >= 45]  # 30 were asked for
    assert len(large) >= 3
    for one in large:
        first = str(one).splitlines()[0]
        assert re.match(rf"\d+ of {one.account.trials.used} trials share the (best )?value", first)


def test_what_was_decided_is_said(found: list[tuple[StoredStudy, ImportanceResult]]) -> None:
    """From marks in the storage, or from what the trials show."""
    for study, one in found:
        why = "marks in the storage" if study.sampler == "tpe" else "as TPE does"
        assert why in one.evidence.sampling
        assert one.evidence.sampling.lower() in " ".join(str(one).lower().split())


def test_a_selection_keeps_the_verdict(
    found: list[tuple[StoredStudy, ImportanceResult]],
) -> None:
    """The history is the whole study's: a condition that all trials meet changes nothing."""
    study, one = found[0]
    source = study.source(100)
    same = condped.importance(**source, target_quantile=QUANTILE, where="dead_float >= 0")
    assert [e.p_value for e in same.evidence] == pytest.approx(
        [e.p_value for e in one.evidence], nan_ok=True
    )
