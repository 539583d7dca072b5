"""Objectives that are minimised although their names say that more is better are pointed out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import optuna
import pytest

import condped
from condped.read.direction import more_is_better
from condped.space.domain import Float

ROWS = {"x": np.random.default_rng(0).permutation(np.linspace(0, 1, 30))}


HIGHER = (
    "accuracy acc val_acc valAcc test_score mean_test_score eval/accuracy AUC roc_auc f1 f1_macro "
    "F1-Score r2 R2 reward episode_reward precision recall mAP map@50 mIoU bleu-4 metrics.accuracy "
    "user_attrs_accuracy validation_accuracy Accuracy"
)
OTHERS = (
    "loss value y neg_log_loss neg_mean_squared_error error_score accuracy_error acc_loss "
    "brier_score one_minus_accuracy rank_test_score std_test_score score_time mean_score_time "
    "access macro accumulate recalled negative_accuracy rmse values_0 scoreboard"
)


@pytest.mark.parametrize("name", HIGHER.split())
def test_names_by_which_more_is_better(name: str) -> None:
    """Whole words of the name decide, however they are joined."""
    assert more_is_better(name)


@pytest.mark.parametrize("name", OTHERS.split())
def test_names_that_say_nothing_of_the_kind(name: str) -> None:
    """Parts of words do not count, nor names that may mean a loss."""
    assert not more_is_better(name)


def warned(notes: tuple[str, ...]) -> bool:
    """Return whether the first note is the warning."""
    return bool(notes) and "suggests that higher is better" in notes[0]


def test_only_a_direction_that_nobody_gave_is_doubted(tmp_path: Path) -> None:
    """In tables in memory and in streams; a direction that is given ends the matter."""
    columns = {**ROWS, "val_acc": ROWS["x"], "loss": ROWS["x"]}
    assert warned(condped.read(columns, objective="val_acc", parameters=["x"]).notes)
    for direction in ("minimize", "maximize"):
        table = condped.read(columns, objective="val_acc", direction=direction)
        assert not warned(table.notes)
    assert not warned(condped.read(columns, objective="loss").notes)
    path = tmp_path / "rows.csv"
    path.write_text("x,val_acc\n" + "".join(f"{x},{x}\n" for x in ROWS["x"]), encoding="utf-8")
    space = {"x": Float(0, 1)}
    for engine in ("memory", "stream"):
        result = condped.importance(path, objective="val_acc", space=space, engine=engine)
        assert warned(result.account.notes)
        assert "direction='maximize' (-d maximize)" in str(result)


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_a_study_that_minimises_accuracy_is_pointed_out() -> None:
    """Only if its metric has a name; a user attribute of that name has no direction at all."""
    study = optuna.create_study()

    def objective(trial: optuna.Trial) -> float:
        x = trial.suggest_float("x", 0, 1)
        trial.set_user_attr("f1", x)
        return x

    study.optimize(objective, n_trials=5)
    assert condped.read(study).notes == ()
    assert warned(condped.read(study, objective="f1").notes)
    assert not warned(condped.read(study, objective="f1", direction="maximize").notes)
    study.set_metric_names(["accuracy"])
    (note,) = condped.read(study).notes
    assert note.startswith("The study minimises 'accuracy'")
    assert condped.read(study, loss=ROWS["x"][:5]).notes == ()
