"""Trials in memory that Optuna's own checks would not let through, each refused by its number."""

from __future__ import annotations

from typing import Any

import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import FrozenTrial, TrialState

import condped
from condped.errors import DataError

DISTRIBUTIONS = {
    "x": FloatDistribution(0, 1),
    "n": IntDistribution(1, 9),
    "k": CategoricalDistribution(["a", None]),
}
GOOD = {"x": 0.5, "n": 3, "k": "a"}


def study_of(params: dict[str, Any], values: Any, attributes: dict[str, Any]) -> optuna.Study:
    """Return a study of a good trial and one made by hand."""
    study = optuna.create_study(directions=["minimize"])
    study.add_trial(optuna.trial.create_trial(params=GOOD, distributions=DISTRIBUTIONS, value=0.1))
    made = FrozenTrial(
        number=1, trial_id=1, state=TrialState.COMPLETE, value=None, values=values,
        datetime_start=None, datetime_complete=None, params={**GOOD, **params},
        distributions=DISTRIBUTIONS, user_attrs={}, system_attrs=attributes,
        intermediate_values={},
    )  # fmt: skip
    study._storage.create_new_trial(study._study_id, template_trial=made)
    return study


@pytest.mark.parametrize(
    ("params", "values", "attributes", "message"),
    [
        ({"x": "0.5"}, [0.2], {}, r"Trial 1 .*'x' is '0\.5'.*FloatDistribution"),
        ({"x": {}}, [0.2], {}, r"Trial 1 .*'x' is \{\}"),
        ({"x": 10**400}, [0.2], {}, r"Trial 1 .*'x' is an integer of 401 digits"),
        ({"n": 2.7}, [0.2], {}, r"Trial 1 .*'n' is 2\.7, which is not in IntDistribution"),
        ({"n": 2**70}, [0.2], {}, r"Trial 1 .*'n' is 1180591620717411303424"),
        ({"k": "c"}, [0.2], {}, r"Trial 1 .*'k' is 'c', which is not in CategoricalDistribution"),
        ({"k": "None"}, [0.2], {}, r"Trial 1 .*'k' is 'None', which is not in Categorical"),
        ({}, [0.1], {"constraints": 5}, r"Trial 1 .*constraints.* as 5"),
        ({}, [0.1], {"constraints": ["x"]}, r"Trial 1 .*constraints"),
    ],
)
def test_what_optuna_would_not_take_is_refused_by_its_trial(
    params: dict[str, Any], values: Any, attributes: dict[str, Any], message: str
) -> None:
    """The message says which trial, and what of it; nothing is rounded or cut to fit."""
    study = study_of(params, values, attributes)
    assert study.get_trials()[1].params == {**GOOD, **params}  # Optuna holds it all the same
    with pytest.raises(DataError, match=message) as caught:
        condped.read(study)
    assert caught.value.first_row == 1
    assert len(str(caught.value)) < 500


def test_whole_numbers_of_other_types_are_read() -> None:
    """An integer that was stored as a float without a fraction loses nothing."""
    table = condped.read(study_of({"n": 4.0, "x": 1}, [0.2], {}))
    found = {parameter.name: parameter.values.tolist() for parameter in table.parameters}
    assert found["n"] == [3, 4]
    assert found["x"] == [0.5, 1.0]
