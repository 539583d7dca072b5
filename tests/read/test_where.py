"""``where``: only trials that meet a condition, whatever the source."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest

import condped
from condped.errors import ConditionError, DataError, NameNotFoundError, SettingsError
from condped.trials.table import Parameter
from condped.trials.where import ParameterColumn

SPACE = {
    "model": condped.Categorical(["svm", "net", None]),
    "c": [condped.when("model == 'svm'", condped.Float(0, 1))],
    "k": [
        condped.when("model == 'svm'", condped.Categorical(["a", "b"])),
        condped.when("model == 'net'", condped.Categorical(["b", 3])),
    ],
}
TRIALS: dict[str, list[Any]] = {
    "loss": [0.1, 0.2, 0.3, 0.4, 0.5],
    "model": ["svm", "net", None, "svm", "net"],
    "c": [0.2, None, None, 0.8, None],
    "k": ["b", 3, None, "a", "b"],
}


def kept(where: str, **options: Any) -> list[float]:
    """Return the losses of the trials that are left."""
    table = condped.read(TRIALS, objective="loss", space=SPACE, where=where, **options)
    return [float(value) for value in table.objectives[0].values]


@pytest.mark.parametrize(
    ("where", "losses"),
    [
        ("model == 'svm'", [0.1, 0.4]),
        ("model in ['svm', 'net']", [0.1, 0.2, 0.4, 0.5]),
        ("model == none", [0.3]),
        ("c < 0.5", [0.1]),
        ("c != 0.2", [0.4]),
        ("not (c < 0.5)", [0.2, 0.3, 0.4, 0.5]),
        ("k == 'b'", [0.1, 0.5]),
        ("k != 'b'", [0.2, 0.4]),
        ("k == 3", [0.2]),
        ("k not in ['a', 3]", [0.1, 0.5]),
        ("c >= 0.5 or model == 'net' and k == 3", [0.2, 0.4]),
    ],
)
def test_trials_are_kept_as_the_condition_says(where: str, losses: list[float]) -> None:
    """Choices are compared by what they are; an absent parameter compares false."""
    assert kept(where) == losses


def test_what_is_left_out_is_counted() -> None:
    """In the notes, which every result carries in its account."""
    result = condped.importance(TRIALS, objective="loss", space=SPACE, where="model == 'svm'")
    assert result.account.trials.total == 2
    assert result.account.notes[-1] == "Only trials with model == 'svm': 3 of 5 left out."
    assert "3 of 5 left out" in str(result)


def test_the_analysis_is_that_of_the_trials_alone() -> None:
    """As if nothing else had been tried."""
    table = condped.problems.get("nested").sample(400, seed=1)
    inside = table.parameters[0].values < 0.75
    alone = condped.importance(table.only(inside)).to_dict(normalize=False)
    assert condped.importance(table, where="c0 < 0.75").to_dict(normalize=False) == alone


def test_a_condition_may_name_parameters_that_are_not_analysed(tmp_path: Path) -> None:
    """Also where only the wanted columns of a file would be looked at."""
    path = tmp_path / "trials.csv"
    path.write_text("loss,a,b\n1,x,1\n2,y,2\n3,x,3\n4,y,4\n", encoding="utf-8")
    table = condped.read(str(path), objective="loss", parameters=["b"], where="a == 'y'")
    assert (table.names, table.objectives[0].values.tolist()) == (("b",), [2, 4])


def test_studies_take_it_too() -> None:
    """And sweeps and joint effects, which read like everything else."""
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(condped.problems.get("nested").objective, n_trials=60)
    expected = sum("c1" in trial.params and trial.params["c1"] < 0.5 for trial in study.trials)
    assert len(condped.read(study, where="c1 < 0.5")) == expected
    assert condped.sweep(study, where="c1 < 0.5").account.trials.total == expected


def test_a_parameter_with_numbers_here_and_choices_there_is_compared_by_both() -> None:
    """Each domain by its own values."""
    parameter = Parameter(
        "x",
        np.array([0.2, 0.0, 0.7, 1.0, 0.0]),
        np.array([0, 1, 0, 1, -1]),
        (condped.Float(0, 1), condped.Categorical(["auto", "off"])),
    )
    column = ParameterColumn(parameter)
    assert column.where(lambda entry: entry == "off").tolist() == [0, 0, 0, 1, 0]
    assert column.where(lambda entry: entry == 0.2).tolist() == [1, 0, 0, 0, 0]
    assert column.absent().tolist() == [0, 0, 0, 0, 1]
    assert column.numbers() is None


@pytest.mark.parametrize(
    ("where", "error", "message"),
    [
        ("modell == 'svm'", NameNotFoundError, "Did you mean 'model'"),
        ("model == 'smv'", DataError, "Did you mean 'svm'"),
        ("c > 2", DataError, "None of the 5 trials meets the condition 'c > 2'"),
        ("c >", ConditionError, "does not parse"),
        ("__import__('os')", ConditionError, "does not parse"),
        ("c < 'a'", ConditionError, "different types"),
        (7, ConditionError, "where must be a condition"),
    ],
)
def test_bad_conditions_are_refused_in_words(
    where: Any, error: type[Exception], message: str
) -> None:
    """They are parsed, never run."""
    with pytest.raises(error, match=message):
        kept(where)


def test_parameters_that_the_space_loses_cost_it_its_conditions() -> None:
    """A table of some parameters keeps their space only if nothing else switches them."""
    table = condped.problems.get("nested").sample(20, seed=0)
    assert table.space is not None
    whole = table.with_parameters(["c0", "z"])
    assert whole.space is not None
    assert list(whole.space) == ["c0", "z"]
    assert table.with_parameters(["x", "y"]).space is None


def test_an_unknown_option_is_still_named() -> None:
    """With a near match."""
    with pytest.raises(TypeError, match="'where'"):
        condped.importance(TRIALS, wher="c < 1")  # type: ignore[call-arg]
    with pytest.raises(SettingsError, match="parameters must be"):
        kept("c < 1", parameters="c")
