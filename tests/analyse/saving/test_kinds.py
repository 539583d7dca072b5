"""Every kind of result comes back from its file as it was."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest

import condped
from condped.analyse.saving.analysis import Unpacking, packed, unpacked
from condped.errors import DataError

NESTED = condped.problems.get("nested").sample(300, seed=0)


def smooth() -> optuna.Study:
    """Return a study in which a bound moves with another parameter: its domains are pooled."""
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1))

    def objective(trial: optuna.Trial) -> float:
        bound = trial.suggest_float("bound", 0.1, 1)
        return (trial.suggest_float("x", 0, bound) - 0.3) ** 2

    study.optimize(objective, n_trials=150)
    return study


def conditional(seed: int) -> dict[str, Any]:
    """Return trials with choices, whole numbers and conditions that the trials show."""
    rng = np.random.default_rng(seed)
    model = rng.integers(0, 3, 400)
    depth = np.where(model == 1, rng.integers(1, 9, 400), np.nan)
    rate = np.where(model == 2, 10 ** rng.uniform(-4, 0, 400), np.nan)
    loss = model + np.where(model == 1, depth / 8, 0.0) + rng.normal(0, 0.2, 400)
    names = np.array(["a", "b", "c"])[model]
    return {"model": names, "depth": depth, "rate": rate, "idle": rng.random(400), "loss": loss}


KINDS: dict[str, Callable[[], Any]] = {
    "importance": lambda: condped.importance(NESTED),
    "calibrated": lambda: condped.importance(NESTED, method="calibrated", target_quantile=0.3),
    "pooled": lambda: condped.importance(smooth()),
    "pooled and calibrated": lambda: condped.importance(smooth(), method="calibrated"),
    "another method": lambda: condped.baselines.importance(NESTED, method="mdi"),
    "sweep": lambda: condped.sweep(NESTED, target_quantiles=[0.05, 0.1, 0.5]),
    "pooled sweep": lambda: condped.sweep(smooth(), method="calibrated", intervals="jackknife"),
    "another method's sweep": lambda: condped.baselines.sweep(NESTED, absent="filtering"),
    "branches": lambda: condped.branches(conditional(0), objective="loss"),
    "branches by ranks": lambda: condped.branches(NESTED, method="calibrated"),
    "advice": lambda: condped.advise(conditional(1), objective="loss"),
    "joint effects": lambda: condped.joint_effects(conditional(2), objective="loss"),
    "effects": lambda: condped.effects(conditional(4), objective="loss"),
    "summary": lambda: condped.summary(conditional(5), objective="loss"),
    "comparison": lambda: condped.compare(NESTED, methods=["paper", "ped-anova", "mdi"]),
    "across": lambda: condped.across([conditional(6), conditional(7)], objective="loss"),
    "report": lambda: condped.report(conditional(3), objective="loss", intervals="jackknife"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_survives(kind: str, tmp_path: Path) -> None:
    """The same type, equal to the last digit, with the same text, rows and page."""
    result, file = KINDS[kind](), tmp_path / "saved.json"
    result.save(file)
    found = condped.load(file)
    assert type(found) is type(result)
    assert repr(found) == repr(result)  # not ==: from Python 3.13 on, fields that are NaN differ
    assert str(found) == str(result)
    assert found.rows() == result.rows()
    assert json.dumps(found.to_data()) == json.dumps(result.to_data())
    assert found._repr_html_() == result._repr_html_()
    before = file.read_bytes()
    found.save(file)
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    "kind",
    ["branches", "advice", "joint effects", "effects", "summary", "comparison", "report"],
)
def test_damaged_files_of_every_kind_are_refused(kind: str, tmp_path: Path) -> None:
    """Without any one of its entries a file is damaged, and the error names the file."""
    result, file = KINDS[kind](), tmp_path / "saved.json"
    result.save(file)
    whole = json.loads(file.read_text(encoding="ascii"))
    needed = (
        ("told", "steps", "parameters")
        if kind == "report"
        else set(whole) - {"notes", "unknown", "sampling", "explore", "found_by_sampler"}
    )
    for name in set(needed) - {"schema"}:
        file.write_text(json.dumps({k: v for k, v in whole.items() if k != name}), encoding="ascii")
        with pytest.raises(DataError, match=r"saved\.json"):
            condped.load(file)


def test_a_difference_of_three_studies_is_refused(tmp_path: Path) -> None:
    """Its file was changed: the texts tell of a study before and one after."""
    file = tmp_path / "saved.json"
    condped.difference(conditional(6), conditional(7), objective="loss").save(file)
    saved = json.loads(file.read_text(encoding="ascii"))
    saved["studies"].append(saved["studies"][0])
    file.write_text(json.dumps(saved), encoding="ascii")
    with pytest.raises(DataError, match=r"saved\.json' is damaged: .*two studies \(got 3\)"):
        condped.load(file)


def test_a_file_holds_counts_and_no_number_that_follows_from_them(tmp_path: Path) -> None:
    """Importances are estimated again: nothing in the file is one of them."""
    result, file = condped.importance(NESTED), tmp_path / "saved.json"
    result.save(file)
    text = file.read_text(encoding="ascii")
    for parameter in result:
        if 0 < parameter.importance < 1:
            assert repr(parameter.importance) not in text
            assert repr(parameter.variance) not in text
    assert len(text) < 5_000


def test_plain_data_take_time_in_proportion_to_parameters() -> None:
    """Names are looked up, not searched for: 1500 parameters take no 25 times 300."""
    rng = np.random.default_rng(0)

    def comparisons(parameters: int) -> int:
        counted = 0

        class Name(str):
            def __eq__(self, other: object) -> bool:
                nonlocal counted
                counted += 1
                return str.__eq__(self, other)

            __hash__ = str.__hash__

        columns: dict[str, Any] = {Name(f"p{i}"): rng.random(20) for i in range(parameters)}
        columns["loss"] = rng.random(20)
        result = condped.importance(columns, objective="loss", sampling="random")
        counted = 0
        result.to_data()
        return counted

    assert comparisons(400) <= 5 * comparisons(100) + 100


@pytest.mark.parametrize("seed", range(30))
def test_counts_survive_whatever_they_are(seed: int) -> None:
    """Many zeros, none, nothing but zeros, nothing at all, and numbers beyond 32 bits."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 2 ** rng.integers(1, 60), rng.integers(0, 200))
    counts[rng.random(len(counts)) < rng.random()] = 0
    assert unpacked(packed(counts)).tolist() == counts.tolist()


@pytest.mark.parametrize("text", ["a", "1.5", "1 2 x", "--1", "99999999999999999999"])
def test_what_are_no_counts_is_refused(text: str) -> None:
    """As Python refuses them; whoever loads a file says which."""
    with pytest.raises((ValueError, OverflowError)):
        unpacked(text)


@pytest.mark.parametrize(
    ("function", "entry", "value"),
    [("summary", "objectives", []), ("advise", "target_size", 10**400)],
)
def test_what_could_not_be_shown_is_damaged(
    function: str, entry: str, value: Any, tmp_path: Path
) -> None:
    """Numbers that no trials have, and best trials by objectives that there are not."""
    file = tmp_path / "result.json"
    getattr(condped, function)(condped.problems.get("nested").sample(200, seed=0)).save(file)
    data = json.loads(file.read_text())
    assert entry in data
    file.write_text(json.dumps({**data, entry: value}))
    with pytest.raises(DataError, match="is damaged"):
        condped.load(file)


def test_a_density_has_one_mass_for_each_cell(tmp_path: Path) -> None:
    """With one more or one less the file was changed, and that is said when it is loaded."""
    file = tmp_path / "saved.json"
    other = condped.problems.get("nested").sample(300, seed=1)
    condped.across([NESTED, other]).prior().save(file)
    saved = json.loads(file.read_text(encoding="ascii"))
    saved["densities"][0]["masses"].pop()
    file.write_text(json.dumps(saved), encoding="ascii")
    with pytest.raises(DataError, match=r"saved\.json' is damaged: .*50 cells \(got 49\)"):
        condped.load(file)


@pytest.mark.parametrize(
    "damage",
    [
        lambda regime: regime.update(region="-9999999 9", target="-9999999 1"),
        lambda regime: regime.update(target="-9999999 1"),
    ],
)
def test_few_letters_do_not_stand_for_gigabytes(
    damage: Callable[[dict[str, Any]], None], tmp_path: Path
) -> None:
    """A regime has as many cells as its domain, and each target set has as many."""
    path = tmp_path / "r.json"
    condped.importance(condped.problems.get("nested").sample(200, seed=0)).save(path)
    data = json.loads(path.read_text())
    damage(data["counts"]["grid"][0]["regimes"][0])
    path.write_text(json.dumps(data))
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match=r"more than [0-9]+ cells"):
            condped.load(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 20 << 20


def test_many_target_sets_of_many_cells_are_bounded() -> None:
    """Although each is allowed: a list of choices times a list of target sets."""
    unpacking = Unpacking()
    assert unpacking.target("-1000", (100, 10)).shape == (100, 10)
    with pytest.raises(DataError, match="expands too far"):
        unpacking.target("-1000000000", (100_000, 10_000))
