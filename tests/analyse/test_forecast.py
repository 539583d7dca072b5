"""Forecasts: verdicts so far, how many more trials would settle the rest, as text and as data."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import condped
from condped.analyse.forecast.predict import limits_of, settled_at
from condped.cli.app import app
from condped.errors import SettingsError
from condped.estimate.looks import look_weights, looks_until
from condped.trials.table import TrialTable


def _table(trials: int, strengths: dict[str, float], seed: int = 0) -> TrialTable:
    """Trials drawn at random; a parameter's strength is how far it moves the loss."""
    rng = np.random.default_rng(seed)
    columns = {name: rng.random(trials) for name in strengths}
    loss = sum(strength * columns[name] for name, strength in strengths.items())
    given = {**columns, "loss": loss + 0.3 * rng.standard_normal(trials)}
    return condped.read(
        given, objective="loss", space={name: condped.Float(0, 1) for name in strengths}
    )


@pytest.fixture(scope="module")
def found() -> condped.Forecast:
    strengths = {"strong": 2.0, "weak": 0.35, "idle": 0.0, "idle2": 0.0}
    return condped.forecast(_table(110, strengths))


def test_verdicts_are_those_of_repeated_looks(found: condped.Forecast) -> None:
    """The same as an importance with looks='repeated', and settled since its first look."""
    strengths = {"strong": 2.0, "weak": 0.35, "idle": 0.0, "idle2": 0.0}
    table = _table(110, strengths)
    evidence = condped.importance(table, looks="repeated").evidence
    assert [one.verdict for one in found] == [one.verdict for one in evidence]
    assert found.looks == evidence.looks
    first = next(
        look
        for look in looks_until(110)
        if condped.importance(table.first(look), looks="repeated").evidence["strong"].verdict
        == "matters"
    )
    assert found["strong"].outlook == "settled"
    assert found["strong"].settled_at == first
    assert found.next_look == 130


def test_intervals_are_in_order_and_end_at_looks(found: condped.Forecast) -> None:
    """Low before middle before high; where there is no upper end, there may be a lower one."""
    for one in found:
        ends = [one.more_low, one.more_trials, one.more_high]
        known = [end for end in ends if end is not None]
        assert known == sorted(known)
        assert ends[: len(known)] == known
        assert all(found.finished + end in looks_until(10**5) for end in known)


def test_a_stronger_effect_needs_fewer_trials() -> None:
    """Of many studies, a parameter that acts is thought likelier to be settled than idle ones."""
    chances: dict[str, list[float]] = {"weak": [], "idle": []}
    for seed in range(20):
        for one in condped.forecast(_table(60, {"weak": 0.5, "idle": 0.0}, seed)):
            assert one.chance is not None
            chances[one.name].append(one.chance)
    assert np.mean(chances["weak"]) > np.mean(chances["idle"]) + 0.2


def test_the_limit_is_where_the_adjusted_p_value_passes() -> None:
    """Just below it the parameter would be said to matter, just above not, the others fixed."""
    rng = np.random.default_rng(3)
    from condped.estimate.independence_test import adjusted  # noqa: PLC0415

    for _ in range(20):
        p_values = rng.random(6) ** 4
        p_values[0] = np.nan
        limits = limits_of(p_values)
        for place in range(1, 6):
            below, above = p_values.copy(), p_values.copy()
            below[place], above[place] = 0.999 * limits[place], 1.001 * limits[place]
            assert adjusted(below[None])[0, place] <= 0.1
            assert adjusted(above[None])[0, place] > 0.1


def test_settled_since_is_the_start_of_the_last_stretch() -> None:
    """A parameter that another one's p-value pushed over the limit for a while is not settled."""
    looks = looks_until(80)
    weights = look_weights(len(looks))
    each = np.ones((4, 2))
    each[1, 0] = 0.01 * weights[1]
    assert settled_at(each, looks) == [50, None]


def test_a_forecast_is_the_same_every_time(found: condped.Forecast) -> None:
    """Futures are drawn with fixed seeds."""
    strengths = {"strong": 2.0, "weak": 0.35, "idle": 0.0, "idle2": 0.0}
    assert condped.importance(_table(110, strengths)).forecast() == found


def test_before_the_first_look_nothing_is_said() -> None:
    """Too few trials are no reason to stop."""
    early = condped.forecast(_table(20, {"x": 1.0}))
    assert early.message == "Too early to say: the first look is at 40 finished trials."
    assert not early.settled
    assert early["x"].outlook == "not testable"


def test_text_rows_and_files(found: condped.Forecast, tmp_path: Path) -> None:
    """Every form has the same parameters."""
    assert found.message in " ".join(str(found).split())
    assert "since trial" in str(found)
    assert [row["parameter"] for row in found.rows()] == ["strong", "weak", "idle", "idle2"]
    found.save(tmp_path / "forecast.json")
    assert condped.load(tmp_path / "forecast.json") == found
    data = json.loads(json.dumps(found.to_data()))
    assert data["schema"] == "condped.forecast/1"
    assert data["settled"] is found.settled
    assert "strong" in found._repr_html_()


def test_results_without_trials_say_what_to_do(tmp_path: Path) -> None:
    """A loaded result no longer has its trials."""
    condped.importance(_table(60, {"x": 1.0})).save(tmp_path / "result.json")
    loaded = condped.load(tmp_path / "result.json")
    assert isinstance(loaded, condped.ImportanceResult)
    with pytest.raises(SettingsError, match=r"Call condped\.forecast"):
        loaded.forecast()


def test_the_command_prints_a_forecast(tmp_path: Path) -> None:
    """``condped forecast`` prints the text, or JSON."""
    rng = np.random.default_rng(0)
    x = rng.random(60)
    lines = ["x,idle,loss", *(f"{a},{b},{a}" for a, b in zip(x, rng.random(60), strict=True))]
    path = tmp_path / "trials.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    shown = CliRunner().invoke(app, ["forecast", str(path), "--objective", "loss"])
    assert shown.exit_code == 0, shown.output
    assert "more trials that settle it" in shown.output
    data = CliRunner().invoke(app, ["forecast", str(path), "--objective", "loss", "--json"])
    assert json.loads(data.stdout)["parameters"][0]["outlook"] == "settled"


def test_a_forecast_can_be_counted_from_later_trials(found: condped.Forecast) -> None:
    """What has been run since is taken off, down to what is left until the next look."""
    later = found.at(found.finished + 25)
    assert (later.finished, later.next_look) == (135, 160)
    for one, then in zip(found, later, strict=True):
        for end in ("more_low", "more_trials", "more_high"):
            before, after = getattr(one, end), getattr(then, end)
            assert after == (None if before is None else max(160 - 135, before - 25))
        assert (then.verdict, then.chance) == (one.verdict, one.chance)
    assert found.at(found.finished) == found
    far = found.at(10**6)
    assert {one.more_high for one in far} <= {far.next_look - 10**6, None}
