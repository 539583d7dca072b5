"""Where trials are counted, and what is refused before anything is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import condped
from condped.analyse.options import open_trials
from condped.errors import SettingsError, SourceError
from condped.read import opening

SPACE: dict[str, Any] = {"x": {"type": "float", "low": 0, "high": 1}}


@pytest.fixture
def path(tmp_path: Path) -> str:
    """Write a few trials."""
    rng = np.random.default_rng(0)
    rows = {"x": rng.random(50), "loss": rng.random(50), "cost": rng.random(50)}
    parquet.write_table(pa.table(rows), tmp_path / "runs.parquet")
    return str(tmp_path / "runs.parquet")


def test_small_files_are_read_into_memory(path: str) -> None:
    """As they always were."""
    assert open_trials(path, objective="loss", space=SPACE).counter.in_memory


def test_files_larger_than_their_share_of_memory_are_streamed(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless something is asked for that takes all trials at once."""
    monkeypatch.setattr(opening, "SHARE_OF_MEMORY", 0.0)
    pattern = str(Path(path).with_name("*.parquet"))
    for source in (path, Path(path), pattern, str(Path(path).parent)):
        found = open_trials(source, objective="loss", space=SPACE)
        assert not found.counter.in_memory
        assert found.counter.schema.source == "stream"
    in_memory: list[dict[str, Any]] = [
        {"objective": "loss"},  # domains are guessed
        {"objective": ["loss", "cost"], "space": SPACE},
        {"loss": np.zeros(50), "space": SPACE},
        {"objective": "loss", "space": SPACE, "engine": "memory"},
    ]
    for options in in_memory:
        assert open_trials(path, **options).counter.in_memory
    Path(path).with_name("runs.space.json").write_text(json.dumps(SPACE), encoding="utf-8")
    assert not open_trials(path, objective="loss").counter.in_memory


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"engine": "stram"}, "engine must be one of auto, memory, stream"),
        (
            {"engine": "stream", "objective": ["loss", "cost"], "space": SPACE},
            "order of trials by several objectives needs the trials in memory",
        ),
        (
            {"engine": "stream", "loss": np.zeros(50)},
            "loss cannot be set for rows",
        ),
        ({"engine": "stream", "study": "tuning"}, "study cannot be set for rows"),
        ({"engine": "stream"}, "space"),
    ],
)
def test_what_an_engine_cannot_do_is_refused(
    path: str, options: dict[str, Any], message: str
) -> None:
    """With the reason."""
    with pytest.raises(SettingsError, match=message):
        condped.importance(path, **{"objective": "loss", **options})


def test_only_files_are_streamed() -> None:
    """What is in memory is there already."""
    with pytest.raises(SourceError, match="reads files"):
        condped.importance({"x": [1.0], "loss": [1.0]}, objective="loss", engine="stream")


def test_opened_trials_are_taken_as_they_are(path: str) -> None:
    """Options come too late; the result is that of the source."""
    trials = open_trials(path, objective="loss", space=SPACE, engine="stream")
    whole = condped.importance(path, objective="loss", space=SPACE)
    assert condped.importance(trials).to_dict() == whole.to_dict()
    with pytest.raises(SettingsError, match="already open"):
        condped.importance(trials, objective="cost")


def test_the_order_of_trials_can_be_a_column() -> None:
    """The rows are taken in that order, and the column is no parameter."""
    rng = np.random.default_rng(1)
    x, loss = rng.random(300), rng.random(300)
    shuffled = rng.permutation(300)
    asked: dict[str, Any] = {"objective": "loss", "space": SPACE}
    plain = condped.importance({"x": x, "loss": loss}, **asked)
    mixed = {"x": x[shuffled], "loss": loss[shuffled], "trial": shuffled}
    ordered = condped.importance(mixed, order="trial", **asked)
    assert ordered.evidence["x"].p_value == plain.evidence["x"].p_value
    assert condped.read(mixed, objective="loss", order="trial").names == ("x",)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"outside": "Drop"}, "outside must be one of error, nearest, drop"),
        ({"parameters": "x"}, "parameters must be a list of names"),
        ({"constraints": 5}, "constraints must be a name or a list of names"),
        ({"failure_values": ["a"]}, "failure_values must be a list of numbers"),
    ],
)
@pytest.mark.parametrize("engine", ["memory", "stream"])
def test_options_are_checked_by_every_engine(
    path: str, engine: Any, options: dict[str, Any], message: str
) -> None:
    """As by the reader in memory."""
    with pytest.raises(SettingsError, match=message):
        condped.importance(path, objective="loss", space=SPACE, engine=engine, **options)


def test_numbers_of_trials_that_repeat_are_refused_for_intervals(tmp_path: Path) -> None:
    """Groups of trials by their numbers would otherwise be few, and no chance."""
    rng = np.random.default_rng(0)
    rows = {"x": rng.random(90), "loss": rng.random(90), "fold": np.arange(90) % 3}
    parquet.write_table(pa.table(rows), tmp_path / "runs.parquet")
    asked: dict[str, Any] = {"objective": "loss", "space": SPACE, "order": "fold"}
    with pytest.raises(SettingsError, match="90 trials have numbers from 0 to 2"):
        condped.importance(
            tmp_path / "runs.parquet", engine="stream", intervals="jackknife", **asked
        )


def test_a_given_order_is_not_doubted(tmp_path: Path) -> None:
    """Rows sorted by the objective say nothing of time; a column named as the order does."""
    rng = np.random.default_rng(2)
    time = np.arange(600)
    x, loss = (time + 200 * rng.random(600)) / 800, -time + 300 * rng.random(600)
    best_first = np.argsort(loss)
    rows = {"x": x[best_first], "loss": loss[best_first], "trial": time[best_first]}
    parquet.write_table(pa.table(rows), tmp_path / "runs.parquet")
    asked: dict[str, Any] = {"objective": "loss", "space": SPACE, "order": "trial"}
    asked["sampling"] = "ordered"
    found = {
        engine: condped.importance(tmp_path / "runs.parquet", engine=engine, **asked).evidence
        for engine in ("memory", "stream")
    }
    assert found["memory"]["x"] == found["stream"]["x"]


def test_a_path_may_begin_at_home(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether its size decides how it is read or not."""
    monkeypatch.setenv("HOME", str(Path(path).parent))
    assert open_trials("~/runs.parquet", objective="loss").names == ("x", "cost")
    assert open_trials("~/runs.parquet", objective="loss", space=SPACE).names == ("x",)
