"""Results of other methods say what they are, what they rest on, and when they know nothing."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import condped
from condped.comparison.baselines import ABSENT, METHODS
from condped.errors import CondpedError, DataError, SettingsError
from condped.trials.regimes import expand_domains
from condped.trials.table import Objective, Parameter, TrialTable, all_complete

FORESTS = [method for method in METHODS if method != "ped-anova"]
SPACE = {"c": condped.Float(0, 1), "x": condped.Float(0, 4)}
ALL = [(method, absent) for method in METHODS for absent in ABSENT]


def trials(count: int = 120, **columns: Any) -> dict[str, Any]:
    """Return a small table with a gate and a gated parameter."""
    rng = np.random.default_rng(0)
    c = rng.random(count)
    x = np.where(c < 0.5, rng.uniform(0, 4, count), np.nan)
    return {"c": c, "x": x, "loss": np.where(c < 0.5, x, 3 + c), **columns}


def ask(source: Any, method: Any, absent: Any, **options: Any) -> condped.ImportanceResult:
    """Ask with few trees."""
    return condped.baselines.importance(
        source,
        method=method,
        absent=absent,
        **{"objective": "loss", "space": SPACE, "trees": 4, **options},
    )


def mixed_table() -> TrialTable:
    """Return trials of a parameter that is a number in some and a choice in others."""
    ids = np.arange(50, dtype=np.int8) % 2
    either = Parameter("x", np.zeros(50), ids, (condped.Float(0, 4), condped.Categorical(["a"])))
    return TrialTable((either,), (Objective("loss", np.arange(50.0)),), all_complete(50))


@pytest.mark.parametrize(("method", "absent"), ALL)
def test_a_result_says_which_method_it_is(method: Any, absent: Any) -> None:
    """By its label, in plain data, and without verdicts or regimes."""
    result = ask(trials(), method, absent)
    text, data = str(result), result.to_data()
    assert result.settings.method == method
    assert f"{absent}" in text.splitlines()[0]
    assert "verdict" not in text
    assert "active as" not in text
    assert max(map(len, text.splitlines())) <= 100
    assert data["settings"]["method"] == method
    assert data["settings"]["absent"] == absent
    assert data["evidence"] is None
    assert not result.has_evidence
    assert result.ready_evidence is None
    assert sum(result.to_dict().values()) == pytest.approx(1)
    json.dumps(data, allow_nan=False)


@pytest.mark.parametrize("method", FORESTS)
def test_forests_are_about_the_whole_objective(method: Any) -> None:
    """There is no target set, hence no η², and the text says so."""
    result = ask(trials(), method, "imputation")
    assert (result.target_quantile, result.target_size) == (None, 0)
    assert all(math.isnan(parameter.eta_squared) for parameter in result)
    assert all(row["eta_squared"] is None and row["verdict"] is None for row in result.rows())
    assert "not\nwhat leads" in str(result) or "not what leads" in str(result)
    assert "best" not in str(result).splitlines()[0]


@pytest.mark.parametrize(("method", "absent"), ALL)
def test_the_same_seed_gives_the_same_numbers(method: Any, absent: Any) -> None:
    """And results equal each other."""
    first, second = (ask(trials(), method, absent, seed=3) for _ in range(2))
    assert repr(first) == repr(second)  # not ==: from Python 3.13 on, fields that are NaN differ


def test_another_seed_gives_another_forest() -> None:
    """None is accepted, and is not 0."""
    seeded = [ask(trials(), "mdi", "imputation", seed=seed).to_dict() for seed in (0, 1)]
    assert seeded[0] != seeded[1]
    free = [ask(trials(), "mdi", "imputation", seed=None).to_dict() for _ in range(2)]
    assert free[0] != free[1]


def test_direction_turns_ped_anova_and_leaves_forests_alone() -> None:
    """Forests explain values as recorded; the best trials depend on what is best."""
    table = {**trials(), "gain": -trials()["loss"]}
    for method, absent in ALL:
        down = ask(table, method, absent).to_dict(normalize=False)
        turned = ask(table, method, absent, objective="gain", direction="maximize")
        assert turned.to_dict(normalize=False) == pytest.approx(down)
        wrong = ask(table, method, absent, objective="gain", direction="minimize")
        same = wrong.to_dict(normalize=False) == pytest.approx(down)
        assert same == (method != "ped-anova")


@pytest.mark.parametrize(("method", "absent"), ALL)
def test_what_is_left_out_is_counted(method: Any, absent: Any) -> None:
    """Failed trials and infinite objectives change no number, and are said."""
    clean = ask(trials(), method, absent)
    end = ["complete"] * 118 + ["failed", "complete"]
    dirty = trials(end=end)
    dirty["loss"] = np.concatenate([dirty["loss"][:118], [0.0, np.inf]])
    result = ask(dirty, method, absent, state="end")
    counts = result.account.trials
    assert (counts.total, counts.used, counts.failed, counts.nonfinite) == (120, 118, 1, 1)
    kept = {name: column[:118] for name, column in trials().items()}
    same = ask(kept, method, absent)
    assert result.to_dict(normalize=False) == same.to_dict(normalize=False)
    assert result.to_dict() != clean.to_dict()
    assert "1 failed (left out)" in str(result)


@pytest.mark.parametrize(("method", "absent"), ALL)
@pytest.mark.parametrize(
    ("rows", "constant", "reason"),
    [(0, False, "no trial"), (1, False, "only one trial"), (50, True, "the same objective")],
)
def test_undetermined_is_said(
    method: Any, absent: Any, rows: int, constant: bool, reason: str
) -> None:
    """Importances are 0, and the reason is given."""
    columns = trials(loss=np.ones(120)) if constant else trials()
    table = condped.read(columns, objective="loss", space=SPACE).only(np.arange(120) < rows)
    result = condped.baselines.importance(table, method=method, absent=absent, trees=4)
    assert result.status == "undetermined"
    assert result.reason is not None
    assert reason in result.reason
    assert set(result.to_dict().values()) == {0.0}
    assert "Undetermined" in str(result)


@pytest.mark.parametrize("method", METHODS)
def test_a_parameter_of_one_trial_gets_nothing_and_is_named(method: Any) -> None:
    """Filtering leaves it a single trial, from which nothing can be told."""
    table = trials()
    y = np.full(120, np.nan)
    y[7] = 0.5
    space = {name: condped.Float(0, 4) for name in ("c", "x", "y", "z")}
    z = np.full(120, np.nan)
    result = ask({**table, "y": y, "z": z}, method, "filtering", space=space)
    assert (result["y"].importance, result["z"].importance) == (0.0, 0.0)
    assert result.status == "ok"
    assert "Too few different trials for a score: y, z." in result.account.notes


@pytest.mark.parametrize(("method", "absent"), ALL)
def test_nothing_varies(method: Any, absent: Any) -> None:
    """A single-valued parameter alone leaves nothing to tell."""
    ids = np.zeros(50, dtype=np.int8)
    fixed = Parameter("k", np.full(50, 2.0), ids, (condped.Float(2, 2),))
    loss = Objective("loss", np.random.default_rng(0).random(50))
    table = condped.TrialTable((fixed,), (loss,), all_complete(50))
    result = condped.baselines.importance(table, method=method, absent=absent, trees=4)
    assert (result.status, result.to_dict()) == ("undetermined", {"k": 0.0})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "anova"}, "ped-anova, f-anova, mdi, shap"),
        ({"absent": "expansion"}, "filtering, imputation"),
        ({"trees": 0}, "trees must be a whole number above 0"),
        ({"max_depth": 1.5}, "max_depth"),
        ({"seed": -1}, "seed must be"),
        ({"seed": True}, "seed must be"),
        ({"failed": "worst"}, "cannot count trials as worst"),
        ({"infeasible": "worst"}, "Use infeasible='drop'"),
        ({"objective": ["loss", "c"], "space": None, "parameters": ["x"]}, "Name one"),
        ({"method": "ped-anova", "target_quantile": 2.0}, "target_quantile"),
        ({"method": "ped-anova", "region_quantile": 0.0}, "region_quantile"),
        ({"metod": 1}, "metod"),
    ],
)
def test_bad_settings_are_refused(options: dict[str, Any], message: str) -> None:
    """In one line that says what is allowed."""
    with pytest.raises((CondpedError, TypeError), match=message) as caught:
        ask(trials(), **{"method": "mdi", "absent": "filtering", **options})
    assert "\n" not in str(caught.value)


def test_evidence_is_refused_with_a_way_out() -> None:
    """There is no test of these, but of ours."""
    result = ask(trials(), "mdi", "imputation")
    with pytest.raises(SettingsError, match="comes without a test"):
        _ = result.evidence
    with pytest.raises(SettingsError, match="another method's"):
        result.robustness()
    with pytest.raises(SettingsError, match="comes without a test"):
        _ = condped.baselines.sweep(trials(), objective="loss").p_values


def test_ped_anova_takes_several_objectives() -> None:
    """By Pareto rank, as Optuna 5.0.0's evaluator does."""
    table = condped.problems.get("nested").sample(200, seed=0)
    loss = table.objectives[0]
    both = condped.TrialTable(table.parameters, (loss, loss), table.states)
    assert condped.baselines.importance(both, method="ped-anova").status == "ok"


def test_a_mixed_parameter_has_no_joint_domain() -> None:
    """Numbers in one regime and choices in the other cannot be joined, and the error says so."""
    with pytest.raises(SettingsError, match="no single domain spans both"):
        condped.baselines.importance(mixed_table())


@pytest.mark.parametrize("method", FORESTS)
def test_numbers_too_large_for_a_forest_are_refused(method: Any) -> None:
    """Single precision ends at 3.4e38, and squares of the objective at 1e308."""
    table = trials(wide=np.linspace(0, 1e300, 120))
    space = {**SPACE, "wide": condped.Float(0, 1e300)}
    with pytest.raises(DataError, match="Parameter 'wide' has a value too large"):
        ask(table, method, "imputation", space=space)
    with pytest.raises(DataError, match="Objective 'loss' has a value too large"):
        ask(trials(loss=np.linspace(0, 1e200, 120)), method, "filtering")
    told = condped.compare(table, objective="loss", space=space, trees=2)
    assert tuple(told) == ("paper", "calibrated", "ped-anova/filtering", "ped-anova/imputation")


@pytest.mark.parametrize("library", ["sklearn", "shap"])
def test_a_missing_library_is_named_with_its_extra(library: str) -> None:
    """Without it, the error says what to install."""
    code = (
        f"import sys; sys.modules[{library!r}] = None\n"
        "import condped\n"
        "table = condped.problems.get('nested').sample(50, seed=0)\n"
        "try: condped.baselines.importance(table, method='shap')\n"
        "except condped.errors.MissingLibraryError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "SHAP needs sklearn and shap" in done.stdout
    assert "pip install 'condped[baselines]'" in done.stdout


@pytest.mark.parametrize(("method", "absent"), ALL)
@pytest.mark.parametrize("ending", ["failed", "pruned"])
def test_without_a_trial_that_counts_nothing_is_learned(
    method: Any, absent: Any, ending: str
) -> None:
    """Neither from objectives that are there nor from those that are not."""
    for losses in (np.arange(30.0), np.full(30, np.nan)):
        table = trials(30, loss=losses, state=[ending] * 30)
        result = ask(table, method, absent, state="state")
        assert result.status == "undetermined"
        assert set(result.to_dict(normalize=False).values()) == {0.0}


def test_values_that_single_precision_cannot_hold_are_noted() -> None:
    """A forest sees one value where there are many."""
    rng = np.random.default_rng(0)
    x = rng.random(60)
    table = {"x": 1e9 + 10 * x, "c": rng.random(60), "loss": x}
    result = ask(table, "mdi", "imputation", space=None)
    assert any("single precision" in note and "x" in note for note in result.account.notes)
    assert result["x"].importance == 0
    kept = ask(table, "ped-anova", "imputation", space=None)
    assert not any("single precision" in note for note in kept.account.notes)


def test_whole_numbers_further_apart_than_64_bits_are_compared() -> None:
    """Their difference is taken without overflow, which would be a warning."""
    x = [-(2**63), 2**63 - 1, 0, 5] * 10
    table = {"x": x, "loss": [abs(value) / 2**63 for value in x]}
    result = ask(table, "mdi", "imputation", space={"x": condped.Int(-(2**63), 2**63 - 1)})
    assert result["x"].importance == 1


def test_joined_domains_keep_their_step() -> None:
    """Where all stand on the same steps, rounding apart."""
    ids = np.arange(40, dtype=np.int8) % 2
    values = np.round(np.random.default_rng(0).integers(3, 9, 40) / 10, 1)
    for low, step in ((0.3, 0.1), (0.35, None)):
        high = round(low + 0.6, 2)
        domains = (condped.Float(0, 1, step=0.1), condped.Float(low, high, step=0.1))
        table = TrialTable(
            (Parameter("x", values, ids, domains),),
            (Objective("loss", values),),
            all_complete(40),
        )
        (joined,) = expand_domains(table).parameters[0].domains
        assert isinstance(joined, condped.Float)
        assert joined.step == step
