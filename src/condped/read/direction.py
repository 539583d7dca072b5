"""Objectives that are minimised although their names suggest that higher is better."""

from __future__ import annotations

import re
from collections.abc import Iterable

from condped.trials.batch import Goal
from condped.trials.notes import Caution
from condped.trials.table import Objective

_HIGHER = (
    "acc accuracy accuracies auc auroc auprc f1 f1score fscore r2 score scores reward rewards "
    "return returns precision recall sensitivity specificity map iou miou dice jaccard bleu rouge "
    "meteor ndcg mrr mcc kappa psnr ssim success winrate sharpe likelihood elbo gain"
)
# Beside one of these words, they mean something else, or nothing definite.
_NOT_HIGHER = (
    "loss losses error errors err neg negative minus inverse nll cost regret time seconds std "
    "stderr var variance rank brier davies bouldin fid gap difference diff miss one"
)
_WORDS = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*")


def more_is_better(name: str) -> bool:
    """Return whether a quantity of this name is usually better when it is higher.

    Examples
    --------
    >>> [more_is_better(name) for name in ("val_acc", "testScore", "eval/AUC", "error_score")]
    [True, True, True, False]
    """
    parts = (*_WORDS.findall(name), *re.findall(r"[a-zA-Z\d]+", name))  # valAcc, and mAP
    words = {part.lower() for part in parts}
    return not words.isdisjoint(_HIGHER.split()) and words.isdisjoint(_NOT_HIGHER.split())


def assumed_direction_notes(objectives: Iterable[Objective | Goal]) -> list[str]:
    """Return a warning for each objective that is minimised by default and doubtful."""
    return [
        Caution(
            f"{_quoted(name)} is minimised, since no direction was given or recorded; its name "
            "suggests that higher is better. If so, set direction='maximize' (-d maximize); if "
            "not, 'minimize'."
        )
        for name in _doubtful(objectives)
    ]


def recorded_direction_notes(objectives: Iterable[Objective]) -> list[str]:
    """Return a warning for each doubtful objective that a study minimises, Optuna's default."""
    return [
        Caution(
            f"The study minimises {_quoted(name)}, which is Optuna's default; its name suggests "
            "that higher is better. If so, the search went the wrong way: create studies with "
            "direction='maximize', and pass the negated values as loss to explain these trials."
        )
        for name in _doubtful(objectives)
    ]


def _doubtful(objectives: Iterable[Objective | Goal]) -> list[str]:
    return [o.name for o in objectives if o.direction == "minimize" and more_is_better(o.name)]


def _quoted(name: str) -> str:
    return repr(" ".join(name.split()))
