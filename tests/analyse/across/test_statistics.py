"""Several studies together: one equals importance, copies agree, bad input is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
import optuna
import pytest

import condped
from condped.errors import DataError, NameNotFoundError

NESTED = condped.problems.get("nested")
DISJOINT = condped.problems.get("activation-disjoint")


@pytest.mark.parametrize("method", ["paper", "calibrated"])
def test_one_study_has_the_numbers_of_importance(method: Any) -> None:
    """Importances, intervals and verdicts are exactly its own."""
    table = NESTED.sample(200, seed=0)
    found = condped.across({"only": table}, method=method, sampling="random")
    alone = condped.importance(table, method=method, intervals="jackknife", sampling="random")
    assert found.names == alone.names
    for parameter in alone:
        pooled, own = found[parameter.name], parameter.intervals
        assert own is not None
        assert (pooled.importance, pooled.low, pooled.high) == (
            parameter.importance, own.importance.low, own.importance.high,
        )  # fmt: skip
        assert pooled.agreement == "not testable"
        cell = found.cell(parameter.name, "only")
        assert cell is not None
        assert cell.verdict == alone.evidence[parameter.name].verdict


def test_copies_of_a_study_do_not_differ() -> None:
    """No spread, nothing odd, and the mean is the study's importance."""
    copies = {f"copy {k}": NESTED.sample(200, seed=0) for k in range(5)}
    found = condped.across(copies, sampling="random")
    alone = condped.importance(NESTED.sample(200, seed=0))
    for one in found:
        assert one.importance == pytest.approx(alone[one.name].importance)
        assert (one.spread, one.spread_p_value) in ((0.0, 1.0), (0.0, None))
        assert not one.odd
        assert one.agreement != "differs"


def shifted(seed: int, switched: bool) -> dict[str, Any]:
    """Return columns of 300 trials in which x decides, or z in its place."""
    rng = np.random.default_rng(seed)
    x, y, z = rng.random((3, 300))
    deciding = z if switched else x
    return {"x": x, "y": y, "z": z, "loss": deciding + 0.3 * y}


def test_an_odd_study_is_named_in_the_parameters_in_which_it_is_odd() -> None:
    """Of eight studies one has another deciding parameter."""
    columns = {f"study {k}": shifted(k, switched=k == 5) for k in range(8)}
    found = condped.across(columns, objective="loss", sampling="random")
    assert found["x"].odd == found["z"].odd == ("study 5",)
    assert found["y"].odd == ()
    assert found["x"].agreement == found["z"].agreement == "differs"
    assert found["x"].spread_low > 0
    assert found["x"].spread_low <= found["x"].spread <= (found["x"].spread_high or 0)
    assert condped.across(columns, objective="loss", sampling="random", target_quantile=0.2)[
        "x"
    ].odd == ("study 5",)


@pytest.mark.parametrize("number", [3, 5])
def test_an_odd_study_among_few_is_named(number: int) -> None:
    """By pairs: it differs from every other one; the others are tested and are not odd."""
    columns = {f"study {k}": shifted(k, switched=k == 1) for k in range(number)}
    found = condped.across(columns, objective="loss", sampling="random")
    assert found["x"].odd == found["z"].odd == ("study 1",)
    assert found["y"].odd == ()
    other = found.cell("x", "study 0")
    assert other is not None
    assert (other.odd, other.odd_p_value) == (False, 1.0)


def test_studies_without_a_difference_are_rarely_said_to_differ() -> None:
    """Forty families of four studies with 100 trials each."""
    differs = odd = 0
    for family in range(40):
        studies = [DISJOINT.sample(100, seed=1_000 + 10 * family + k) for k in range(4)]
        found = condped.across(studies, sampling="random")
        differs += any(one.agreement == "differs" for one in found)
        odd += any(one.odd for one in found)
    assert differs <= 5
    assert odd <= 2


def test_intervals_hold_the_exact_importance() -> None:
    """Of forty families of four studies, at least 85 % of the calibrated intervals."""
    truth = DISJOINT.truth(target_quantile=0.1).to_dict()
    held = []
    for family in range(40):
        studies = [DISJOINT.sample(100, seed=3_000 + 10 * family + k) for k in range(4)]
        found = condped.across(studies, sampling="random", method="calibrated")
        held += [found[name].low <= own <= found[name].high for name, own in truth.items()]
    assert np.mean(held) >= 0.85


def random_study(
    name: str, trials: int, direction: Literal["minimize", "maximize"] = "minimize"
) -> optuna.Study:
    """Run a study of one parameter at random."""
    sampler = optuna.samplers.RandomSampler(seed=trials)
    study = optuna.create_study(study_name=name, direction=direction, sampler=sampler)
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=trials)
    return study


def test_an_empty_study_is_named_and_does_not_count() -> None:
    """Nothing is dropped silently."""
    studies = {name: random_study(name, trials) for name, trials in
               (("first", 30), ("empty one", 0), ("last", 40))}  # fmt: skip
    found = condped.across(studies)
    assert any("empty one" in note for note in found.notes)
    assert found["x"].studies == 2
    assert next(one for one in found.studies if one.name == "empty one").reason is not None


def test_a_study_without_a_common_parameter_is_an_error_that_names_it() -> None:
    """So that nobody compares what has nothing in common."""
    other = {"u": [0.1, 0.2, 0.3] * 10, "loss": [1.0, 2.0, 3.0] * 10}
    with pytest.raises(DataError, match="'stranger' has no parameter in common"):
        condped.across({"a": shifted(0, False), "b": shifted(1, False), "stranger": other},
                       objective="loss")  # fmt: skip


def test_unused_trials_and_other_domains_are_said_with_their_studies() -> None:
    """How many of which study, and which studies have which domain."""
    studies = {name: random_study(name, 40) for name in ("a", "b", "c")}
    wide = optuna.create_study(study_name="wide", sampler=optuna.samplers.RandomSampler(seed=0))
    for number in range(50):
        trial = wide.ask()
        value = trial.suggest_float("x", 0, 2)
        if number < 4:
            wide.tell(trial, state=optuna.trial.TrialState.FAIL)
        else:
            wide.tell(trial, value)
    found = condped.across({**studies, "wide": wide})
    assert "wide: 46 of 50 trials used (4 failed)." in found.notes
    assert any("x: [0, 1] in 3 studies, [0, 2] in wide." in note for note in found.notes)
    assert not any("inferred" in note for note in found.notes)


def test_inferred_domains_are_said() -> None:
    """Those of a table with a study column are of all studies, those of single tables of each."""
    tables = {name: shifted(seed, False) for seed, name in enumerate(("a", "b"))}
    each = condped.across(tables, objective="loss")
    told = "The domains were inferred from the values of"
    assert f"{told} each study; give a space to set them." in each.notes
    rows = {key: np.concatenate([t[key] for t in tables.values()]) for key in tables["a"]}
    rows["study"] = np.repeat(["a", "b"], [len(t["loss"]) for t in tables.values()])
    whole = condped.across(rows, objective="loss", study_column="study")
    assert f"{told} all studies together; give a space to set them." in whole.notes


def test_other_directions_are_an_error_that_names_both() -> None:
    """What is good in one study is bad in the other."""
    low, high = random_study("low", 20), random_study("high", 20, "maximize")
    told = r"'low' \(minimize\) and 'high' \(maximize\)"
    with pytest.raises(DataError, match=told):
        condped.across([low, high])
    with pytest.raises(DataError, match=told):
        condped.difference(low, high)


def test_a_study_with_a_learning_sampler_has_larger_errors() -> None:
    """The scatter of its replays counts, and a factor for what replays do not show."""
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    study.optimize(DISJOINT.objective, n_trials=60)
    learnt = condped.across({"run": study})
    random = condped.across({"run": study}, sampling="random")
    for one, other in zip(learnt.cells, random.cells, strict=True):
        if one.error and other.error:
            assert one.error >= 1.45 * other.error


def test_what_is_left_out_of_the_comparison_is_said() -> None:
    """A parameter that no target trial has, and target sets that ties enlarge."""
    found = condped.across([DISJOINT.sample(100, seed=k) for k in range(3)], sampling="random")
    told = "Left out of the comparison, since fewer than 5 target trials have the parameter: y in 3"
    assert any(note.startswith(told) for note in found.notes)
    assert found["y"].compared == 0
    tied = shifted(1, False)
    tied["loss"] = np.floor(2 * tied["loss"])
    both = condped.across({"a": shifted(0, False), "tied one": tied}, objective="loss",
                          sampling="random")  # fmt: skip
    assert any("target sets differ in size" in n and "tied one" in n for n in both.notes)
    pair = condped.difference(shifted(0, False), tied, objective="loss", sampling="random")
    assert {one.verdict for one in pair} == {"not testable"}
    assert any("Ties at the cut-offs: 10 % of before" in note for note in pair.comparable)


def test_a_saved_comparison_does_not_hold_the_results_of_its_studies(tmp_path: Path) -> None:
    """The error says so of a study that is there, and lists the studies for one that is not."""
    found = condped.across({"one": shifted(0, False), "two": shifted(1, False)}, objective="loss")
    assert found.result("one").names
    found.save(tmp_path / "across.json")
    loaded = condped.load(tmp_path / "across.json")
    assert isinstance(loaded, condped.Across)
    with pytest.raises(DataError, match=r"'one' are not here: a saved result .*condped.importance"):
        loaded.result("one")
    for some in (found, loaded):
        with pytest.raises(NameNotFoundError, match=r"no study 'three'.*'one', 'two'"):
            some.result("three")
