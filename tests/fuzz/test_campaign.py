"""A short, seeded part of the campaign of ``make fuzz``, and whether the campaign sees failures."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from condped.analyse.saving.files import _KINDS
from fuzz.__main__ import CORPUS
from fuzz.case import Case
from fuzz.doors import DOORS
from fuzz.doors.saved import Saved
from fuzz.page import markdown_of
from tests.fuzz.planted import ENDINGS, Planted
from tests.optuna_version import needs_optuna_5

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "trust" / "robustness.md"
BAD = ("untyped", "death", "hang", "differs")
PLANTED = "tests.fuzz.planted:Planted"
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="workers are watched in /proc")


def campaign(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the campaign in a process of its own, which may fork: this one has threads."""
    return subprocess.run(
        [sys.executable, "-m", "fuzz", *map(str, arguments)],
        capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip


@needs_optuna_5
def test_no_input_of_the_short_campaign_ends_badly(tmp_path: Path) -> None:
    """Inputs for every door, the same in every run."""
    counts = tmp_path / "counts.json"
    done = campaign(
        "--inputs", "2500", "--seed", "short", "--failures", tmp_path / "bad", "--output", counts
    )
    found = json.loads(counts.read_text())["doors"]
    bad = [path.read_text()[:2000] for path in (tmp_path / "bad").glob("*.json")]
    assert (done.returncode, bad) == (0, []), done.stdout[-3000:] + done.stderr[-3000:]
    assert set(found) == set(DOORS)
    # Inputs that are all refused would try little.
    assert all(door["answer"] > 0 and door["typed"] > 0 for door in found.values())
    assert sum(door["inputs"] for door in found.values()) > 2400


@needs_optuna_5
def test_what_once_ended_badly_does_not_any_more() -> None:
    """Every stored input is tried again, in one process."""
    files = sorted(CORPUS.glob("broke/*.json"))
    assert files
    done = campaign("--replay", *files)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert done.stdout.splitlines()[-1] == f"{len(files)} inputs, 0 ended as they must not."


def test_planted_failures_are_counted_stored_and_replayed(tmp_path: Path) -> None:
    """An untyped error, a death by SIGSEGV, an exit, hangs and a wrong answer, each time."""
    counts, failures, record = tmp_path / "counts.json", tmp_path / "bad", tmp_path / "record.jsonl"
    limits = ("--cpu", "0.6", "--wall", "3")
    arguments = ("--door", PLANTED, "--inputs", "40", "--seed", "14", *limits,
                 "--failures", failures, "--output", counts, "--record", record)  # fmt: skip
    done = campaign(*arguments)
    assert done.returncode == 1, done.stderr
    found = json.loads(counts.read_text())["doors"]["planted"]
    door = Planted(tmp_path)
    made = Counter(door.case("14", n).data.split()[2].decode() for n in range(40))
    assert set(made) == set(ENDINGS)
    expected = {
        "inputs": 40,
        "answer": made["answer"],
        "typed": made["typed"] + made["refused"],
        "untyped": made["untyped"],
        "death": made["death"] + made["exit"],
        "hang": made["hang"] + made["wait"],
        "differs": made["differs"] + made["refuses"],
    }
    assert {name: found[name] for name in expected} == expected

    again = campaign(*arguments)  # from the record: nothing is tried again
    assert (again.returncode, "inputs in" in again.stdout) == (1, False)

    stored = {path: Case.load(path).data.split()[2].decode() for path in failures.glob("*.json")}
    assert set(stored.values()) == set(ENDINGS) - {"answer", "typed", "refused"}
    one = next(path for path, ending in stored.items() if ending == "death")
    assert "SIGSEGV" in json.loads(one.read_text())["detail"]
    untyped = next(path for path, ending in stored.items() if ending == "untyped")
    replayed = campaign("--door", PLANTED, "--replay", one, untyped, "--minimise")
    assert replayed.returncode == 1
    assert replayed.stdout.splitlines()[-1] == "2 inputs, 2 ended as they must not."
    assert Case.load(untyped).data == b"untyped"


@pytest.mark.parametrize("data", [b"plain text", "größe".encode(), bytes(range(256))])
def test_a_stored_case_is_the_case(data: bytes, tmp_path: Path) -> None:
    """Whatever its bytes are."""
    case = Case("csv", "trials.csv", data)
    case.save(tmp_path / "case.json", detail="why")
    assert Case.load(tmp_path / "case.json") == case


@pytest.mark.parametrize(
    "name", ["conditions", "spaces", "csv", "json", "folders", "tools", "objects"]
)
def test_inputs_are_the_same_for_the_same_seed(name: str, tmp_path: Path) -> None:
    """A campaign can be repeated; another seed gives other inputs."""
    door = DOORS[name](tmp_path)
    first = [door.case("1", number) for number in range(20)]
    assert first == [DOORS[name](tmp_path).case("1", number) for number in range(20)]
    assert first != [door.case("2", number) for number in range(20)]
    assert door.make(Random(0)) == door.make(Random(0))


def test_the_page_has_the_counts_of_the_last_campaign() -> None:
    """And they are those that it promises: nothing in the last four columns."""
    stored = json.loads((ROOT / "fuzz" / "campaign.json").read_text())
    assert markdown_of(stored["doors"], stored["seed"]) in PAGE.read_text(encoding="utf-8")
    assert sum(door["inputs"] for door in stored["doors"].values()) >= 300_000
    assert {name: sum(d[name] for d in stored["doors"].values()) for name in BAD} == dict.fromkeys(
        BAD, 0
    )
    assert set(stored["doors"]) == set(DOORS)


def test_saved_results_of_every_kind_are_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every schema that condped.load knows has a seed."""
    monkeypatch.chdir(tmp_path)
    door = Saved(tmp_path)
    door.prepare()
    assert {seed["schema"] for seed in door.seeds.values()} == set(_KINDS)
