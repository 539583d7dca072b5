"""Several methods on the same trials."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import condped
from condped.comparison import NAMES
from condped.errors import CondpedError, MissingLibraryError, NameNotFoundError, SettingsError
from condped.show.text.layout import width_of
from condped.trials.table import Objective, Parameter, TrialTable, all_complete


@pytest.fixture(scope="module")
def table() -> TrialTable:
    """Trials of a problem in which parameters come, go and change their domains."""
    return condped.problems.get("three-way").sample(200, seed=0)


@pytest.fixture(scope="module")
def everything(table: TrialTable) -> condped.Comparison:
    """All methods, with few trees."""
    return condped.compare(table, trees=4)


def test_every_column_is_what_its_method_says_alone(
    table: TrialTable, everything: condped.Comparison
) -> None:
    """Nothing is computed differently for being compared."""
    assert tuple(everything) == NAMES
    assert everything["paper"] == condped.importance(table)
    assert everything["calibrated"] == condped.importance(table, method="calibrated")
    for method in condped.baselines.METHODS:
        for absent in condped.baselines.ABSENT:
            alone = condped.baselines.importance(table, method=method, absent=absent, trees=4)
            assert repr(everything[f"{method}/{absent}"]) == repr(alone)


def test_rows_hold_all_importances(everything: condped.Comparison) -> None:
    """A row per parameter in the order of the first method, a column per method."""
    assert everything.names == everything["paper"].names
    for row in everything.rows():
        assert tuple(row) == everything.columns
        for method in everything:
            assert row[method] == everything[method][row["parameter"]].importance
    frame = everything.to_frame()
    assert list(frame.columns) == list(everything.columns)


def test_data_is_plain_and_has_a_schema(everything: condped.Comparison) -> None:
    """JSON without NaN; each method says what it explains."""
    data = json.loads(json.dumps(everything.to_data(), allow_nan=False))
    assert data["schema"] == "condped.compare/1"
    assert [entry["name"] for entry in data["methods"]] == list(NAMES)
    explained = {entry["name"]: entry["explains"] for entry in data["methods"]}
    assert explained["paper"] == explained["ped-anova/filtering"] == "best trials"
    assert explained["shap/imputation"] == "objective"
    assert data["results"]["mdi/filtering"]["settings"]["absent"] == "filtering"


def test_the_table_fits_its_width(everything: condped.Comparison) -> None:
    """All ten methods in 100 columns, with a legend and what was done to the trials."""
    text = str(everything)
    assert max(map(width_of, text.splitlines())) <= 100
    x = next(line for line in text.splitlines() if line.startswith("x "))
    assert x.split()[1:] == [f"{everything[m]['x'].importance:.3f}" for m in NAMES]
    for part in ("filter: ", "impute: ", "f-ANOVA: ", "Domains joined", "200 of 200 trials used"):
        assert part in text


@pytest.mark.parametrize("methods", [None, ["paper"], ["f-anova/filtering", "paper", "mdi"]])
def test_long_and_odd_names_do_not_break_the_table(methods: Any) -> None:
    """Names are shortened and cannot control a terminal; rows beyond 30 are counted."""
    rng = np.random.default_rng(0)
    names = [f"a very long name of a parameter {place}" for place in range(33)]
    names += ["学習率" * 9, "\x1b[31mred\n"]
    columns = {name: rng.random(60) for name in names}
    told = condped.compare(
        {**columns, "loss": rng.random(60)},
        objective="loss",
        space={name: condped.Float(0, 1) for name in names},
        methods=methods,
        trees=1,
    )
    text = str(told)
    assert max(map(width_of, text.splitlines())) <= 100
    assert "… and 5 more parameters with at most 0." in text
    assert "\x1b" not in text
    # What is left out matters less to every method than what is shown.
    shown = {row["parameter"]: max(v or 0.0 for v in list(row.values())[1:]) for row in told.rows()}
    limit = sorted(shown.values())[4]
    assert f"at most {limit:.3f} in any column" in text


def test_methods_are_chosen_by_name(table: TrialTable) -> None:
    """A baseline's name means both ways to treat absences; repeats and order do not matter."""
    told = condped.compare(table, methods=["mdi", "calibrated", "mdi/filtering"], trees=2)
    assert tuple(told) == ("calibrated", "mdi/filtering", "mdi/imputation")
    assert "mdi/filtering" in told
    assert len(told) == 3
    with pytest.raises(NameNotFoundError, match="paper"):
        _ = told["paper"]


def test_options_reach_the_methods(table: TrialTable) -> None:
    """Quantiles, forests, seeds and what is left out."""
    told = condped.compare(
        table, methods=["paper", "ped-anova", "mdi"], target_quantile=0.2, region_quantile=0.8,
        trees=3, max_depth=2, seed=9, pruned="keep", parameters=["x", "c"],
    )  # fmt: skip
    assert set(told.names) == {"x", "c"}
    for method in ("paper", "ped-anova/filtering"):
        assert told[method].target_quantile == 0.2
        assert told[method].settings.region_quantile == 0.8
    alone = condped.baselines.importance(
        table, method="mdi", trees=3, max_depth=2, seed=9, pruned="keep", parameters=["x", "c"]
    )
    assert repr(told["mdi/imputation"]) == repr(alone)
    assert alone.account.handling.pruned == "keep"


def test_undetermined_is_a_question_mark(table: TrialTable) -> None:
    """With its reason below, and None in the rows."""
    flat = table.with_loss(np.ones(len(table)))
    told = condped.compare(flat, trees=2)
    assert {row[method] for row in told.rows() for method in told} == {None}
    assert "?: undetermined: all 200 trials have the same objective." in str(told)


def test_what_cannot_be_asked_is_left_out_and_said(table: TrialTable) -> None:
    """Forests and several objectives; asked for by name they are refused."""
    loss = table.objectives[0]
    both = TrialTable(table.parameters, (loss, Objective("speed", -loss.values)), table.states)
    told = condped.compare(both, trees=2)
    assert tuple(told) == ("paper", "calibrated", "ped-anova/filtering", "ped-anova/imputation")
    (note,) = told.notes
    assert "f-anova/filtering" in note
    assert "shap/imputation" in note
    assert "Name one with objective=." in note
    assert "Name one with objective=." in " ".join(str(told).split())
    with pytest.raises(SettingsError, match="Name one"):
        condped.compare(both, methods=["mdi"])
    assert len(condped.compare(both, objective="speed", trees=2)) == 10


def test_domains_that_cannot_be_joined_leave_our_own_methods() -> None:
    """A parameter that is a number here and a choice there has regimes, but no one domain."""
    ids = np.arange(50, dtype=np.int8) % 2
    domains = (condped.Float(0, 4), condped.Categorical(["a"]))
    either = Parameter("x", np.where(ids, 0, np.linspace(0, 4, 50)), ids, domains)
    mixed = TrialTable((either,), (Objective("loss", np.arange(50.0)),), all_complete(50))
    told = condped.compare(mixed, trees=2)
    assert tuple(told) == ("paper", "calibrated")
    assert "no single domain spans both" in told.notes[0]


def test_no_parameters_is_an_answer() -> None:
    """An empty table of methods, each undetermined."""
    table = TrialTable((), (Objective("loss", np.arange(9.0)),), all_complete(9))
    told = condped.compare(table, trees=2)
    assert told.rows() == []
    assert "there are no parameters" in str(told)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"methods": "mdi"}, "list of names"),
        ({"methods": []}, "at least one"),
        ({"methods": ["fanova"]}, "Did you mean 'f-anova'"),
        ({"trees": 0}, "trees"),
        ({"seed": 1.5}, "seed"),
        ({"failed": "keep"}, "failed must be"),
        ({"target_quantile": 1.0}, "target_quantile"),
        ({"sampling": "adaptive"}, "sampling"),
    ],
)
def test_bad_settings_are_refused(table: TrialTable, options: dict[str, Any], message: str) -> None:
    """Whether or not methods are named."""
    with pytest.raises(CondpedError, match=message) as caught:
        condped.compare(table, **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("library", "left"), [("shap", 8), ("sklearn", 4)])
def test_a_missing_library_is_noted_or_refused(library: str, left: int) -> None:
    """Unasked, the others answer; asked for, the error names the extra."""
    code = (
        f"import sys; sys.modules[{library!r}] = None\n"
        "import condped\n"
        "table = condped.problems.get('nested').sample(50, seed=0)\n"
        "told = condped.compare(table, trees=2)\n"
        "print(len(told), *told.notes)\n"
        "try: condped.compare(table, methods=['paper', 'shap'])\n"
        "except condped.errors.MissingLibraryError as error: print('refused', error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    noted, refused = done.stdout.splitlines()
    assert noted.startswith(f"{left} ")
    for line in (noted, refused):
        assert "pip install 'condped[baselines]'" in line
    assert refused.startswith("refused SHAP needs sklearn and shap")
    assert issubclass(MissingLibraryError, ImportError)
