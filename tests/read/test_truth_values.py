"""Truth values in text files, which have no type of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

import condped
from condped.errors import DataError

ROWS = [("True", 0.1), ("False", 0.4), ("True", 0.2), ("False", 0.3)]


def csv(folder: Path, yes: str = "True", no: str = "False") -> str:
    """Write trials with a column of truth values and return the path."""
    path = folder / "trials.csv"
    lines = [f"{yes if flag == 'True' else no},{loss}" for flag, loss in ROWS]
    path.write_text("\n".join(["scale,loss", *lines]), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(("yes", "no"), [("True", "False"), ("true", "false")])
def test_they_are_inferred(tmp_path: Path, yes: str, no: str) -> None:
    """So that code for other tools has no texts, which are all true."""
    table = condped.read(csv(tmp_path, yes, no), objective="loss")
    (scale,) = table.parameters
    assert scale.domains == (condped.Categorical([False, True]),)
    assert scale.values.tolist() == [flag == "True" for flag, _ in ROWS]


def test_a_space_of_truth_values_and_its_conditions_fit(tmp_path: Path) -> None:
    """The file's texts meet the space's choices, also in a condition."""
    space = {"scale": {"type": "categorical", "choices": [True, False]}}
    table = condped.read(csv(tmp_path), objective="loss", space=space, where="scale == True")
    assert table.parameters[0].values.tolist() == [0, 0]


def test_texts_that_a_space_lists_stay_texts(tmp_path: Path) -> None:
    """Whoever wants them has them; other words are no truth values."""
    space = {"scale": {"type": "categorical", "choices": ["True", "False"]}}
    table = condped.read(csv(tmp_path), objective="loss", space=space)
    assert table.parameters[0].domains[0] == condped.Categorical(["True", "False"])
    truths = {"scale": {"type": "categorical", "choices": [True, False]}}
    with pytest.raises(DataError, match="unknown choice 'yes'"):
        condped.read(csv(tmp_path, "yes", "no"), objective="loss", space=truths)
