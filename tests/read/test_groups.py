"""Nuisance parameters that are left out, and parameters that are explained together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest
from click.testing import CliRunner

import condped
from condped.cli.app import app
from condped.errors import NameNotFoundError, SettingsError
from condped.space.domain import Categorical, Float
from condped.trials.groups import with_groups
from condped.trials.repeats import merged

RNG = np.random.default_rng(0)
N = 240
A, B = RNG.choice(["p", "q", "r"], N), RNG.choice(["u", "v"], N)
SEED = RNG.integers(0, 1000, N)
LOSS = RNG.normal(size=N) + 3.0 * ((A == "p") ^ (B == "u"))
COLUMNS: dict[str, Any] = {"a": A, "b": B, "seed": SEED, "loss": LOSS}


def numbers(result: condped.ImportanceResult, name: str) -> list[Any]:
    """Return what is found about a parameter."""
    (found,) = [entry for entry in result.parameters if entry.name == name]
    known = result.evidence[name]
    return [found.variance, found.eta_squared, known.p_value, known.verdict]


def test_a_group_of_choices_is_the_choice_of_their_pairs() -> None:
    """The same numbers as a column that a user would join by hand."""
    options: dict[str, Any] = {
        "objective": "loss",
        "method": "calibrated",
        "sampling": "random",
        "ignore": ["seed"],
    }
    grouped = condped.importance(COLUMNS, groups={"both": ["a", "b"]}, **options)
    pairs = [f"{a}{b}" for a, b in zip(A, B, strict=True)]
    joined = condped.importance({"both": pairs, "seed": SEED, "loss": LOSS}, **options)
    assert grouped.names == ("both",)
    assert numbers(grouped, "both") == pytest.approx(numbers(joined, "both"))
    assert numbers(grouped, "both")[-1] == "matters"
    apart = condped.importance(COLUMNS, **options)
    both = numbers(grouped, "both")[1]
    assert both > 2 * (numbers(apart, "a")[1] + numbers(apart, "b")[1])


def test_cells_of_numbers_hold_equally_many_trials() -> None:
    """So many that a joint cell has about ten trials; absent where all members are."""
    x, y = RNG.random(N), RNG.integers(1, 9, N)
    columns: dict[str, Any] = {"x": x, "y": y.astype(float), "z": x, "loss": LOSS}
    columns["y"][:60] = np.nan
    columns["x"][:20] = np.nan
    table = condped.read(columns, objective="loss", groups={"g": ["x", "y"]})
    assert table.names == ("g", "z")
    (group, _), (x, y) = table.parameters, (columns["x"], columns["y"])
    assert np.array_equal(np.asarray(group.domain_ids) < 0, np.isnan(x) & np.isnan(y))
    (domain,) = group.domains
    assert isinstance(domain, Categorical)
    present = group.domain_ids >= 0
    sizes = np.bincount(group.values[present])
    assert len(sizes) == len(domain.choices) <= 22
    assert sizes.min() >= 4
    for place, label in enumerate(domain.choices):  # labels say what lies in the cell
        rows = present & (group.values == place)
        for values, part in zip((x[rows], y[rows]), label.split(", "), strict=True):
            if np.isnan(values).any():
                assert part.endswith("absent")
                assert np.isnan(values).all()
            else:
                shown = [float(end) for end in part.split(" ")[1].split("…")]
                assert shown[0] <= values.min() * 1.001
                assert shown[-1] >= values.max() * 0.999
    assert any("g: x, y explained together" in note for note in table.notes)


def test_rare_cells_are_one() -> None:
    """Of many choices; how many trials these are is said."""
    many = RNG.choice(list("abcdefghijklmnopqrstuvwxyz"), N)
    table = condped.read({**COLUMNS, "many": many}, objective="loss", groups={"g": ["a", "many"]})
    (domain,) = table.parameters[0].domains
    assert isinstance(domain, Categorical)
    assert len(domain.choices) == 24
    assert domain.choices[-1] == "others"
    others = int(np.count_nonzero(table.parameters[0].values == 23))
    assert any(f"in 24 joint cells; {others} trials in rarer ones" in note for note in table.notes)


def study_of(sampler: optuna.samplers.BaseSampler, trials: int) -> optuna.Study:
    """Run a study in which two of four parameters matter."""
    study = optuna.create_study(sampler=sampler)

    def objective(trial: optuna.Trial) -> float:
        x, y, _, _ = (trial.suggest_float(name, 0, 1) for name in ("x", "y", "idle", "seed"))
        return (x - 0.5) ** 2 + (y - 0.2) ** 2

    study.optimize(objective, n_trials=trials)
    return study


def test_members_of_a_group_are_replayed() -> None:
    """Under TPE: the smallest p-value of the members, times their number."""
    study = study_of(optuna.samplers.TPESampler(seed=0), 80)
    options: dict[str, Any] = {"method": "calibrated"}
    alone = condped.importance(study, **options)
    groups = {"good": ["x", "y"], "rest": ["idle", "seed"]}
    result = condped.importance(study, groups=groups, **options)
    for group, members in groups.items():
        smallest = min(numbers(alone, name)[2] for name in members)
        assert numbers(result, group)[2] == pytest.approx(min(2 * smallest, 1.0))
    assert numbers(result, "good")[3] == "matters"
    assert numbers(result, "rest")[3] != "matters"
    shown = str(result)
    assert "replays" in shown


def test_ignored_parameters_are_left_out_and_named(tmp_path: Path) -> None:
    """In memory and in streams; conditions on them still hold."""
    path = tmp_path / "rows.csv"
    rows = zip(A, SEED, LOSS, strict=True)
    path.write_text("a,seed,loss\n" + "".join(f"{a},{s},{y}\n" for a, s, y in rows), "utf-8")
    space = {"a": Categorical(["p", "q", "r"]), "seed": Float(0, 1000)}
    for engine in ("memory", "stream"):
        options: dict[str, Any] = {"objective": "loss", "space": space, "engine": engine}
        result = condped.importance(path, ignore=["seed"], where="seed < 500", **options)
        assert result.names == ("a",)
        assert result.account.trials.total == np.count_nonzero(SEED < 500)
        assert "Ignored, as requested: seed." in result.account.notes
        with pytest.raises(NameNotFoundError, match="Did you mean 'seed'"):
            condped.importance(path, ignore=["sed"], **options)
    with pytest.raises(SettingsError, match="groups cannot be set for rows that are read"):
        condped.importance(path, groups={"g": ["a", "seed"]}, method="calibrated", **options)


def test_repeats_with_other_seeds_are_repeats() -> None:
    """The test merges configurations that differ in an ignored seed only."""
    x = np.repeat(RNG.random(40), 4)
    columns = {"x": x, "seed": np.arange(160.0), "loss": RNG.normal(size=160)}
    result = condped.importance(columns, objective="loss", ignore=["seed"])
    shown = " ".join(str(result).split())
    assert "120 of 160 trials repeat a configuration; the test merges them." in shown
    grouped = condped.read({**columns, "y": -x}, objective="loss", ignore=["seed"])
    table = with_groups(grouped, {"g": ["x", "y"]})
    assert len(merged(table)) == 40


def test_an_ignored_gate_is_pointed_out() -> None:
    """What it chooses counts for those that it switches, which is said."""
    space: dict[str, Any] = {
        "a": Categorical(["p", "q", "r"]),
        "x": {"type": "float", "low": 0, "high": 1, "when": "a == 'p'"},
    }
    columns = {"a": A, "x": np.where(A == "p", 0.5, np.nan), "loss": LOSS}
    with pytest.raises(SettingsError, match="ignore leaves no parameter"):
        condped.read(columns, objective="loss", space=space, ignore=["a", "x"])
    table = condped.read(columns, objective="loss", space=space, ignore=["a"])
    assert any("a decides which of the others are present" in note for note in table.notes)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"groups": {"g": ["a", "bb"]}}, NameNotFoundError, "Did you mean 'b'"),
        ({"groups": {"g": ["a", "b"], "h": ["b", "seed"]}}, SettingsError, "'b' is in two groups"),
        ({"groups": {"g": ["a"]}}, SettingsError, "at least two parameters"),
        ({"groups": {"g": []}}, SettingsError, "at least two parameters"),
        ({"groups": {"seed": ["a", "b"]}}, SettingsError, "has the name of a parameter"),
        ({"groups": ["a", "b"]}, SettingsError, "groups must map a name"),
        ({"groups": {"g": "ab"}}, SettingsError, "groups must map a name"),
        ({"ignore": "seed"}, SettingsError, "ignore must be a list of names"),
        ({"ignore": ["seed"], "parameters": ["a"]}, SettingsError, "not both"),
    ],
)
def test_wrong_groups_are_refused(options: Any, error: type[Exception], message: str) -> None:
    """With what is wrong and what to do."""
    with pytest.raises(error, match=message):
        condped.read(COLUMNS, objective="loss", **options)


def test_the_papers_estimator_takes_no_groups() -> None:
    """It shrinks choices so far that a group would count for less than its members."""
    with pytest.raises(SettingsError, match="groups need method='calibrated'"):
        condped.importance(COLUMNS, objective="loss", groups={"g": ["a", "b"]})


def test_groups_can_be_chosen_by_their_names() -> None:
    """The option parameters names groups, and their members need not be named."""
    table = condped.read(
        COLUMNS, objective="loss", groups={"g": ["a", "b"]}, parameters=["seed", "g"]
    )
    assert table.names == ("seed", "g")


def test_the_command_line_takes_both(tmp_path: Path) -> None:
    """As repeatable options."""
    path = tmp_path / "rows.csv"
    rows = zip(A, B, SEED, LOSS, strict=True)
    text = "".join(f"{a},{b},{s},{y}\n" for a, b, s, y in rows)
    path.write_text(f"a,b,seed,loss\n{text}", "utf-8")
    command = ["importance", str(path), "--objective", "loss", "--ignore", "seed"]
    command += ["--group", "both=a, b", "--method", "calibrated"]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    assert "both: a, b explained together, in 6 joint cells." in done.output
    wrong = CliRunner().invoke(app, [*command, "--group", "both"])
    assert wrong.exit_code != 0


def test_no_advice_about_groups() -> None:
    """No sampler can draw a joint cell."""
    with pytest.raises(SettingsError, match="Leave groups out"):
        condped.advise(COLUMNS, objective="loss", groups={"g": ["a", "b"]})


def test_results_about_groups_are_saved(tmp_path: Path) -> None:
    """With everything that others have: evidence, branches, sweeps, rows."""
    options: dict[str, Any] = {
        "objective": "loss",
        "method": "calibrated",
        "groups": {"g": ["a", "b"]},
    }
    result = condped.importance(COLUMNS, **options)
    result.save(tmp_path / "result.json")
    assert condped.load(tmp_path / "result.json") == result
    assert [row["parameter"] for row in result.rows()] == list(result.names)
    assert set(condped.sweep(COLUMNS, **options).names) == {"g", "seed"}
    assert "g" in str(condped.branches(COLUMNS, **options))
