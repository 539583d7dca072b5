"""What was saved comes back as it was, and what is no result is refused."""

from __future__ import annotations

import enum
import json
import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import condped
from condped.analyse.saving.analysis import packed, unpacked
from condped.errors import DataError, SettingsError, SourceError
from condped.space.domain import Categorical
from condped.trials.table import Objective, Parameter, TrialTable, all_complete

HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "</script>",
    'quote" and \\ and \n line',
    "名前\u202e",
    "half a pair \ud800",
    "float",
    "",
)


def same(one: condped.ImportanceResult, other: condped.ImportanceResult) -> None:
    """Compare everything that a result holds."""
    assert other == one
    assert other.evidence == one.evidence
    assert str(other) == str(one)
    assert other.to_data() == one.to_data()
    assert list(other.densities) == list(one.densities)
    for name, densities in one.densities.items():
        for before, after in zip(densities, other.densities[name], strict=True):
            assert (after.domain, after.label, after.choices, after.good) == (
                before.domain, before.label, before.choices, before.good,
            )  # fmt: skip
            for array in ("centres", "edges", "target", "region", "target_mass", "region_mass"):
                was, now = getattr(before, array), getattr(after, array)
                assert (was is None) == (now is None)
                assert was is None or (was.tolist() == now.tolist() and was.dtype == now.dtype)


def reloaded(result: condped.ImportanceResult, folder: Path) -> condped.ImportanceResult:
    """Save and load a result; the file is JSON as the standard has it."""
    file = folder / "r.json"
    result.save(file)

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    json.loads(file.read_text(encoding="ascii"), parse_constant=refuse)
    found = condped.load(str(file))
    assert isinstance(found, condped.ImportanceResult)
    return found


@pytest.mark.parametrize("name", ["nested", "three-way", "regime-dependent"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"intervals": "jackknife", "target_quantile": 0.25, "region_quantile": 0.6},
        {"method": "calibrated", "intervals": "half-sampling", "level": 0.5},
        {"measure": "standard", "failed": "worst"},
    ],
)
def test_results_survive(name: str, options: dict[str, Any], tmp_path: Path) -> None:
    """Numbers, settings, account, evidence, intervals and densities."""
    result = condped.importance(condped.problems.get(name).sample(200, seed=0), **options)
    same(result, reloaded(result, tmp_path))


@pytest.mark.parametrize("intervals", [None, "jackknife"])
def test_sweeps_survive(intervals: Any, tmp_path: Path) -> None:
    """All arrays to the last digit, p-values and bands included."""
    curve = condped.sweep(
        condped.problems.get("three-way").sample(150, seed=0), intervals=intervals
    )
    curve.save(tmp_path / "s.json")
    found = condped.load(tmp_path / "s.json")
    assert isinstance(found, condped.SweepResult)
    assert found.names == curve.names
    assert (found.settings, found.account, found.reasons, found.level) == (
        curve.settings, curve.account, curve.reasons, curve.level,
    )  # fmt: skip
    for array in (
        "target_quantiles", "importance", "variance", "eta_squared", "within", "inter",
        "target_sizes", "p_values", "determined",
    ):  # fmt: skip
        np.testing.assert_array_equal(getattr(found, array), getattr(curve, array))
    if intervals is not None:
        assert curve.intervals is not None
        assert found.intervals is not None
        for number in ("importance", "variance", "eta_squared"):
            for end in ("low", "high", "error"):
                before = getattr(getattr(curve.intervals, number), end)
                assert getattr(getattr(found.intervals, number), end).tolist() == before.tolist()
    assert str(found) == str(curve)
    assert found.rows() == curve.rows()


def test_hostile_names_survive(tmp_path: Path) -> None:
    """Whatever a parameter is called, half a surrogate pair included."""
    rng = np.random.default_rng(0)
    domain = condped.Float(0, 1)
    columns = {name: rng.random(60) for name in HOSTILE}
    table = TrialTable(
        parameters=tuple(
            Parameter(name, values, np.zeros(60, dtype=np.int8), (domain,))
            for name, values in columns.items()
        ),
        objectives=(Objective("</script>", columns["</script>"]),),
        states=all_complete(60),
    )
    result = condped.importance(table)
    same(result, reloaded(result, tmp_path))
    curve = condped.sweep(table.with_parameters(["float"]))
    curve.save(tmp_path / "s.json")
    again = condped.load(tmp_path / "s.json")
    assert isinstance(again, condped.SweepResult)
    assert again.names == ("float",)


class Colour(enum.Enum):
    """A choice that JSON cannot represent."""

    RED = "red"


def of_choices(choices: list[Any]) -> TrialTable:
    """Return trials of one categorical parameter whose first two choices are best."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, len(choices), 300)
    parameter = Parameter("choice", codes, np.zeros(300, dtype=np.int8), (Categorical(choices),))
    loss = Objective("loss", (codes > 1) + rng.random(300))
    return TrialTable((parameter,), (loss,), all_complete(300))


def test_choices_of_all_types_survive(tmp_path: Path) -> None:
    """None, truth values, numbers that are none, lists, texts that look like others."""
    choices = [None, math.nan, math.inf, -math.inf, True, 1.5, 2**70, "nan", "", (1, ("a", None)),
               "null", False]  # fmt: skip
    result = condped.importance(of_choices(choices), sampling="random")
    found = reloaded(result, tmp_path)
    same(result, found)
    domain = found["choice"].regimes[0].domain
    assert isinstance(domain, Categorical)
    assert [type(choice) for choice in domain.choices] == [type(choice) for choice in choices]
    assert result.densities["choice"][0].good[0].choices == (None, domain.choices[1])


def test_choices_that_json_does_not_know_become_texts_and_this_is_said(tmp_path: Path) -> None:
    """The loaded result differs from the saved one, and its notes tell why."""
    result = condped.importance(of_choices([Colour.RED, Path("a/b"), "c"]))
    found = reloaded(result, tmp_path)
    domain = found["choice"].regimes[0].domain
    assert isinstance(domain, Categorical)
    assert domain.choices == ("Colour.RED", "a/b", "c")
    assert any("'choice' has choices that JSON cannot represent" in n for n in found.account.notes)
    # Numbers are not touched, and saving once more changes nothing.
    assert found["choice"].importance == result["choice"].importance
    same(found, reloaded(found, tmp_path))


@pytest.mark.parametrize(
    "source",
    [
        {"x": [0.1, 0.2, 0.3], "loss": [1.0, 1.0, 1.0]},
        {"x": [0.1, 0.2, 0.3], "loss": [math.nan, math.nan, math.nan]},
        {"x": [0.5], "loss": [1.0]},
        {"loss": [1.0, 2.0, 3.0]},
    ],
)
def test_undetermined_results_survive(source: dict[str, list[float]], tmp_path: Path) -> None:
    """Nothing can be told, also after loading."""
    result = condped.importance(source, objective="loss", direction="maximize")
    assert result.status == "undetermined"
    same(result, reloaded(result, tmp_path))
    curve = condped.sweep(source, objective="loss")
    curve.save(tmp_path / "s.json")
    assert str(condped.load(tmp_path / "s.json")) == str(curve)


def test_outcomes_and_pooled_domains_survive(tmp_path: Path) -> None:
    """A target of the caller's own, and domains a hair apart."""
    table = condped.problems.get("nested").sample(200, seed=0)
    result = condped.importance(table, target=table.objectives[0].values < 0)
    same(result, reloaded(result, tmp_path))
    pooled = condped.importance(
        condped.problems.get("regime-dependent").sample(300, seed=0), pooling="always"
    )
    assert pooled.account.pooled
    same(pooled, reloaded(pooled, tmp_path))


def test_a_loaded_result_does_not_know_its_trials(tmp_path: Path) -> None:
    """What needs them says so."""
    result = condped.importance(condped.problems.get("nested").sample(100, seed=0))
    with pytest.raises(SettingsError, match="no longer has its trials"):
        reloaded(result, tmp_path).robustness()


def test_what_the_command_line_prints_can_be_loaded(tmp_path: Path) -> None:
    """With all that a file has, and beside it the numbers themselves."""
    result = condped.importance(condped.problems.get("nested").sample(100, seed=0))
    file = tmp_path / "r.json"
    file.write_text(json.dumps(result.to_data(), indent=2), encoding="utf-8")
    found = condped.load(file)
    assert isinstance(found, condped.ImportanceResult)
    assert found == result
    assert found.evidence == result.evidence
    same(result, found)
    curve = condped.sweep(condped.problems.get("nested").sample(100, seed=0))
    file.write_text(json.dumps(curve.to_data(), indent=2), encoding="utf-8")
    assert condped.load(file) == curve


def test_saving_replaces_a_file_as_a_whole(tmp_path: Path) -> None:
    """Nothing but the one file is left."""
    result = condped.importance(condped.problems.get("nested").sample(100, seed=0))
    result.save(tmp_path / "r.json")
    result.save(tmp_path / "r.json")
    assert [file.name for file in tmp_path.iterdir()] == ["r.json"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not valid JSON"),
        ("{", "is not valid JSON"),
        ("[" * 100_000, "is not valid JSON"),
        ("[1, 2]", "is not a saved result"),
        ('{"schema": 7}', "is not a saved result"),
        ('{"schema": "condped.space/1"}', "known are condped.importance/1, condped.sweep/1"),
        ('{"schema": "condped.importance/2"}', "version '2'.*reads version 1. Update condped"),
        ('{"schema": "condped.importance/1"}', "damaged: it lacks"),
        ('{"schema": "condped.sweep/1"}', "damaged: it lacks"),
    ],
)
def test_what_is_no_result_is_refused(text: str, message: str, tmp_path: Path) -> None:
    """In one line that names the file."""
    file = tmp_path / "r.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=message) as refused:
        condped.load(file)
    assert "r.json" in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(("path", "value", "says"), [
    (("target_quantile",), 2.0, "target_quantile must be"),
    (("target_quantile",), math.nan, "target_quantile must be"),
    (("level",), 5.0, "level must be"),
    (("account", "region_size"), 0, "do not add up"),
    (("account", "region_size"), -1, "contradict each other"),
    (("account", "trials", "total"), 0, "contradict each other"),
    (("account", "trials", "failed"), -1, "contradict each other"),
    (("counts", "target_sizes"), [11], "do not add up"),
    (("tests", "p_values", 0, 0), 1.5, "p-values must be"),
    (("tests", "adjusted_p_values", 0, 0), -0.1, "p-values must be"),
])  # fmt: skip
def test_numbers_that_contradict_each_other_are_damage(
    path: tuple[str | int, ...], value: Any, says: str, tmp_path: Path
) -> None:
    """They would be shown as if they had been found."""
    file = tmp_path / "r.json"
    condped.importance(condped.problems.get("nested").sample(100, seed=0)).save(file)
    data = json.loads(file.read_text(encoding="utf-8"))
    *above, last = path
    inner = data
    for step in above:
        inner = inner[step]
    assert inner[last] != value
    inner[last] = value
    file.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(DataError, match=f"'.*r.json' is damaged: .*({says})"):
        condped.load(file)


def test_target_sets_are_inside_the_region_set(tmp_path: Path) -> None:
    """In every cell, although the sums are right."""
    file = tmp_path / "r.json"
    condped.importance(condped.problems.get("nested").sample(100, seed=0)).save(file)
    data = json.loads(file.read_text(encoding="utf-8"))
    regime = data["counts"]["grid"][0]["regimes"][0]
    region, target = unpacked(regime["region"]), unpacked(regime["target"])
    best = int(np.argmax(target))
    region[best - 1] += region[best]
    region[best] = 0
    regime["region"] = packed(region)
    file.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(DataError, match="more trials in a target set than in the region"):
        condped.load(file)


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    """No file, a directory, bytes that are no text."""
    with pytest.raises(SourceError, match="There is no file"):
        condped.load(tmp_path / "missing.json")
    with pytest.raises(SourceError, match="directory"):
        condped.load(tmp_path)
    (tmp_path / "r.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="is not valid JSON"):
        condped.load(tmp_path / "r.json")


def _damages(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of all values in plain data, one of each list."""
    if isinstance(data, dict):
        inner = [p for key, value in data.items() for p in _damages(value, (*path, key))]
    elif isinstance(data, list):
        inner = _damages(data[0], (*path, 0)) if data else []
    else:
        inner = []
    return [path, *inner] if path else inner


def test_damaged_files_are_refused_or_told_by_the_numbers(tmp_path: Path) -> None:
    """Whichever value is taken away or changed in kind, nothing but a DataError is raised."""
    table = condped.problems.get("three-way").sample(80, seed=0)
    file = tmp_path / "r.json"
    for made in (
        condped.importance(table, intervals="jackknife"),
        condped.sweep(table, target_quantiles=[0.1, 0.2], intervals="jackknife"),
    ):
        made.save(file)
        whole = file.read_text(encoding="ascii")
        refused = 0
        kinds: tuple[Any, ...] = ({"a": 1}, "text", [[]], None)
        for path in _damages(json.loads(whole)):
            for bad in kinds:
                data = json.loads(whole)
                holder = data
                for key in path[:-1]:
                    holder = holder[key]
                if holder[path[-1]] == bad or (isinstance(holder[path[-1]], str) and bad == "text"):
                    continue
                holder[path[-1]] = bad
                file.write_text(json.dumps(data), encoding="ascii")
                try:
                    condped.load(file)
                except DataError:
                    refused += 1
        assert refused > 100


@pytest.mark.parametrize("method", ["paper", "calibrated"])
def test_results_can_be_pickled(method: Any) -> None:
    """For processes beside this one; what was told of the trials goes along, they do not."""
    table = condped.problems.get("nested").sample(200, seed=0)
    result = condped.importance(table, method=method, intervals="jackknife")
    copied = pickle.loads(pickle.dumps(result))
    assert copied == result
    assert str(copied) == str(result)
    assert copied.evidence == result.evidence
    assert [good.label for r in copied.densities["x"] for good in r.good] == [
        good.label for r in result.densities["x"] for good in r.good
    ]
    assert len(pickle.dumps(result)) < 100_000
    with pytest.raises(SettingsError, match="no longer has its trials"):
        copied.robustness()
    curve = condped.sweep(table, method=method)
    assert pickle.loads(pickle.dumps(curve)) == curve


def test_sweeps_are_equal_if_their_numbers_are(tmp_path: Path) -> None:
    """Also after saving and loading."""
    table = condped.problems.get("nested").sample(200, seed=0)
    curve = condped.sweep(table, intervals="jackknife")
    curve.save(tmp_path / "s.json")
    assert condped.load(tmp_path / "s.json") == curve
    assert condped.sweep(table) != curve
    assert curve != "a text"


def test_a_directory_that_is_not_there_is_named(tmp_path: Path) -> None:
    """Rather than the part of a file that could not be written."""
    result = condped.importance(condped.problems.get("nested").sample(50, seed=0))
    with pytest.raises(DataError, match=r"no directory '.*nowhere' to write 'r.json'"):
        result.save(tmp_path / "nowhere" / "r.json")


def loaded(path: Path) -> condped.ImportanceResult:
    """Load the importances of a file."""
    result = condped.load(path)
    assert isinstance(result, condped.ImportanceResult)
    return result


def test_a_file_from_before_selections_still_loads(tmp_path: Path) -> None:
    """Its account has none; that of a new file has what the trials were chosen by."""
    table = condped.problems.get("nested").sample(200, seed=0)
    result = condped.importance(table, where="x > -6")
    new, old = tmp_path / "new.json", tmp_path / "old.json"
    result.save(new)
    (chosen,) = loaded(new).account.selections
    assert (chosen.condition, chosen.total) == ("x > -6", 200)
    assert chosen.left_out == 200 - result.account.trials.total
    data = json.loads(new.read_text(encoding="utf-8"))
    del data["account"]["selections"]
    old.write_text(json.dumps(data), encoding="utf-8")
    assert loaded(old).account.selections == ()
