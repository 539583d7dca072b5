"""Evaluation sets made from a checkout of yahpo_data."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from condped.errors import CondpedError, DataError, NameNotFoundError, SettingsError
from experiments.yahpo import checkout, environment
from experiments.yahpo.folder import read_folder
from experiments.yahpo.sample import check, main, parse_seeds, sample
from tests.experiments.yahpo_checkout import (
    CATEGORIES,
    NUMBERS,
    TARGETS,
    encoding,
    weights,
    write_checkout,
)

ENVIRONMENT = Path(
    os.environ.get("CONDPED_YAHPO_ENVIRONMENT", str(Path(__file__).parents[2] / ".venv" / "yahpo"))
)
needs_yahpo = pytest.mark.skipif(
    not (ENVIRONMENT / "condped-yahpo.txt").is_file(),
    reason="no environment with YAHPO Gym; make it: python -m experiments.yahpo.sample --prepare "
    "--environment .venv/yahpo",
)


@pytest.fixture
def data_path(tmp_path: Path) -> Path:
    """A checkout with a linear surrogate."""
    path = tmp_path / "yahpo_data"
    write_checkout(path)
    return path


@needs_yahpo
def test_yahpo_gym_evaluates_the_surrogate_as_a_product_by_hand_does(
    data_path: Path, tmp_path: Path
) -> None:
    """The real YAHPO Gym runs a real ONNX file; codes and numbers times weights is the oracle."""
    output = tmp_path / "sets"
    interpreter = environment.prepare(ENVIRONMENT)
    sample(
        data_path,
        "iaml_super",
        ["1489", "40981"],
        seeds=[42, 43],
        trials=50,
        output=output,
        interpreter=interpreter,
    )
    by_codes, by_numbers = weights()
    for instance in ("1489", "40981"):
        columns = pq.read_table(output / f"iaml_super_{instance}.parquet").to_pydict()
        assert columns["seed"] == [42] * 50 + [43] * 50
        columns["task_id"] = [instance] * 100
        codes = np.array(
            [[encoding()[name][value or "#na#"] for value in columns[name]] for name in CATEGORIES]
        )
        numbers = np.array([[value or 0 for value in columns[name]] for name in NUMBERS])
        expected = codes.T @ by_codes + numbers.T @ by_numbers
        np.testing.assert_allclose(columns["f1"], expected[:, TARGETS.index("f1")], rtol=1e-4)


@needs_yahpo
def test_the_same_seed_draws_the_same_configurations_for_every_instance(
    data_path: Path, tmp_path: Path
) -> None:
    """What is sampled depends on the seed only, and the folder reads back with its conditions."""
    interpreter = environment.prepare(ENVIRONMENT)
    sample(
        data_path,
        "iaml_super",
        ["1489", "40981"],
        seeds=[42, 50],
        trials=40,
        output=tmp_path,
        interpreter=interpreter,
    )
    found = read_folder(tmp_path)["iaml"]
    one, other = (found[name].trials(50) for name in ("1489", "40981"))
    for left, right in zip(one.parameters, other.parameters, strict=True):
        assert left.domain_ids.tolist() == right.domain_ids.tolist()
        active = left.domain_ids >= 0
        assert left.values[active].tolist() == right.values[active].tolist()
    assert found["1489"].seeds == (42, 50)
    assert "yahpo_gym 1.0.2" in found["1489"].scenario.label
    assert "yahpo_data test" in found["1489"].scenario.label
    by_learner = found["1489"].by_learner(42)
    assert sum(len(values) for values in by_learner.values()) == 40


def test_domains_follow_the_space_of_the_checkout(data_path: Path) -> None:
    """Types, bounds, and conditions joined by AND; the instance is no hyperparameter."""
    found = checkout.domains(data_path, "iaml_super")
    entries = {entry["name"]: entry for entry in found["hyperparameters"]}
    assert "task_id" not in entries
    assert found["learner_key"] == "learner"
    assert found["target"] == "f1"
    assert entries["trainsize"]["condition"] is None
    assert entries["glmnet.s"]["log"] is True
    assert entries["rpart.maxdepth"]["type"] == "int"
    assert entries["xgboost.eta"]["condition"] == [
        {"parent": "xgboost.booster", "in": ["dart", "gbtree"]},
        {"parent": "learner", "in": ["xgboost"]},
    ]


def test_what_domains_cannot_express_is_refused(data_path: Path) -> None:
    """An OR condition, another type and forbidden clauses are named."""
    path = data_path / "iaml_super" / "config_space.json"
    space = json.loads(path.read_text())
    for change, told in (
        ({"conditions": [{"child": "x", "type": "OR", "conditions": []}]}, "'OR'"),
        ({"hyperparameters": [{"name": "learner", "type": "normal_float"}]}, "'normal_float'"),
        ({"forbiddens": [{"name": "x"}]}, "forbidden clauses"),
    ):
        path.write_text(json.dumps(space | change))
        with pytest.raises(DataError, match=told):
            checkout.domains(data_path, "iaml_super")


def test_missing_models_are_told_with_the_way_to_get_them(data_path: Path) -> None:
    """A checkout without its model, and a folder that is no checkout."""
    (data_path / "iaml_super" / "model.onnx").unlink()
    with pytest.raises(DataError, match=r"lacks model.onnx.*git clone"):
        check(data_path, "iaml_super", ["1489"])
    with pytest.raises(DataError, match=r"no folder rbv2_super.*git clone"):
        check(data_path, "rbv2_super", ["1053"])


def test_a_pointer_of_git_lfs_is_told_from_a_model(data_path: Path) -> None:
    """The small text file that Git leaves where LFS fetched nothing."""
    (data_path / "iaml_super" / "model.onnx").write_text(
        "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
    )
    with pytest.raises(DataError, match=r"pointer of Git LFS.*lfs pull"):
        check(data_path, "iaml_super", ["1489"])


@pytest.mark.parametrize("text", ["{}", "{not json", "[]", '{"hyperparameters": [{}]}'])
def test_a_broken_space_is_named(data_path: Path, text: str) -> None:
    """The file, and the way to get it again."""
    (data_path / "iaml_super" / "config_space.json").write_text(text)
    with pytest.raises(DataError, match=r"config_space.json is not a space.*git clone"):
        check(data_path, "iaml_super", ["1489"])


def test_trials_and_folder_are_checked_before_anything_is_installed(
    data_path: Path, tmp_path: Path
) -> None:
    """No trials, and a folder that holds other instances of another surrogate."""
    with pytest.raises(SettingsError, match="trials must be at least 1"):
        check(data_path, "iaml_super", ["1489"], trials=0)
    output = tmp_path / "sets"
    output.mkdir()
    domains = check(data_path, "iaml_super", ["1489"], output=output)
    (output / "iaml_super_40981.parquet").write_bytes(b"")
    file = output / "iaml_super.domains.json"
    file.write_text(json.dumps(domains))
    check(data_path, "iaml_super", ["1489"], output=output)
    file.write_text(json.dumps(domains | {"surrogates": {"yahpo_data": "other"}}))
    with pytest.raises(SettingsError, match=r"must not mix surrogates.*iaml_super_40981.parquet"):
        check(data_path, "iaml_super", ["1489"], output=output)
    check(data_path, "iaml_super", ["1489", "40981"], output=output)


def test_unknown_instances_and_scenarios_are_refused(data_path: Path) -> None:
    """Both name what there is."""
    with pytest.raises(NameNotFoundError, match=r"instance '1488'.*Did you mean '1489'"):
        check(data_path, "iaml_super", ["1488"])
    with pytest.raises(SettingsError, match="rbv2_super, iaml_super"):
        check(data_path, "lcbench", ["1"])


def test_the_command_checks_the_models_before_it_installs_anything(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A wrong path costs no environment."""
    place = tmp_path / "environment"
    asked = ["--data-path", str(tmp_path), "--instances", "1053", "--output", str(tmp_path / "o")]
    assert main([*asked, "--environment", str(place)]) == 1
    assert "git clone" in capsys.readouterr().err
    assert not place.exists()
    assert main([]) == 1
    assert "--data-path is needed" in capsys.readouterr().err


def test_a_folder_with_something_else_is_never_made_an_environment(tmp_path: Path) -> None:
    """What the user keeps there stays."""
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(SettingsError, match="holds something else"):
        environment.prepare(tmp_path)
    assert (tmp_path / "thesis.tex").read_text() == "x"


def test_an_interpreter_that_numpy_1_has_no_build_for_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Told before anything is made; a missing one likewise."""
    monkeypatch.setattr(environment, "NEWEST_PYTHON", (3, 8))
    with pytest.raises(SettingsError, match="--python"):
        environment.prepare(tmp_path / "new", sys.executable)
    with pytest.raises(CondpedError, match="could not be run"):
        environment.prepare(tmp_path / "new", str(tmp_path / "no-python"))
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("text", "seeds"), [("42-51", list(range(42, 52))), ("7", [7]), ("1,3-4", [1, 3, 4])]
)
def test_seeds_are_ranges_and_lists(text: str, seeds: list[int]) -> None:
    """As on the command line."""
    assert parse_seeds(text) == seeds


@pytest.mark.parametrize("text", ["", "a", "1-", "5-3", "1,1", "-1", "²"])
def test_other_seeds_are_refused(text: str) -> None:
    """Nothing is guessed."""
    with pytest.raises(SettingsError, match="seeds must"):
        parse_seeds(text)
