"""The command line as a user meets it."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest

import condped
from tests.cli.command import CONDPED, condped_command, condped_process

SPACE: dict[str, Any] = {
    "c": {"type": "categorical", "choices": ["a", "b"]},
    "x": {"when": "c == 'a'", "type": "float", "low": 0, "high": 1},
    "y": [
        {"when": "c == 'a'", "type": "int", "low": 0, "high": 9},
        {"when": "c == 'b'", "type": "int", "low": 10, "high": 19},
    ],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with trials (results.csv) and their space (space.json)."""
    folder = tmp_path_factory.mktemp("cli")
    rng = np.random.default_rng(3)
    lines = ["loss,accuracy,end,g,c,x,y"]
    for row in range(200):
        x, y = rng.uniform(), int(rng.integers(0, 10))
        loss = x + 0.01 * y
        tail = f"a,{x},{y}" if row % 2 else f"b,,{y + 10}"
        end = "failed" if row % 50 == 0 else "complete"
        lines.append(f"{loss},{1 - loss},{end},{row % 5 - 2},{tail}")
    (folder / "results.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "space.json").write_text(json.dumps(SPACE), encoding="utf-8")
    return folder


def basics(folder: Path) -> list[str | Path]:
    """Return source, objective and space."""
    return [
        folder / "results.csv",
        "--objective",
        "loss",
        "-s",
        folder / "space.json",
        "-p",
        "c",
        "-p",
        "x",
    ]


def expected(folder: Path, **options: Any) -> Any:
    """Return what the Python function says of the same trials."""
    return condped.importance(
        str(folder / "results.csv"),
        **{
            "objective": "loss",
            "space": folder / "space.json",
            "parameters": ["c", "x"],
            **options,
        },
    )


def test_importance_as_json_is_what_python_says(folder: Path) -> None:
    """To the last bit."""
    done = condped_process("importance", *basics(folder), "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == json.loads(json.dumps(expected(folder).to_data()))


def test_importance_as_csv_is_what_python_says(folder: Path) -> None:
    """A header, and a line per parameter."""
    done = condped_command("importance", *basics(folder), "--csv")
    assert (done.returncode, done.stderr) == (0, "")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    result = expected(folder)
    assert [row["parameter"] for row in rows] == list(result.names)
    assert {row["parameter"]: float(row["importance"]) for row in rows} == result.to_dict()


def test_importance_prints_the_table(folder: Path) -> None:
    """Without further wishes it is what print(result) shows."""
    done = condped_process("importance", *basics(folder))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{expected(folder)}\n"


def test_every_option_reaches_the_analysis(folder: Path) -> None:
    """All options at once, against the same call in Python."""
    done = condped_process(
        *["importance", str(folder / "results.csv"), "--space", str(folder / "space.json")],
        *["--objective", "loss", "--objective", "accuracy", "-d", "minimize", "-d", "maximize"],
        *["-q", "0.2", "--region-quantile", "0.8", "--measure", "standard"],
        *["--reference", "space", "--state", "end", "--constraint", "g", "-p", "y"],
        *["--failed", "worst", "--pruned", "worst", "--nonfinite", "worst"],
        *["--infeasible", "drop", "--json"],
    )
    assert (done.returncode, done.stderr) == (0, "")
    result = expected(
        folder,
        objective=["loss", "accuracy"],
        direction=["minimize", "maximize"],
        target_quantile=0.2,
        region_quantile=0.8,
        measure="standard",
        reference="space",
        state="end",
        constraints=["g"],
        parameters=["y"],
        failed="worst",
        pruned="worst",
        nonfinite="worst",
        infeasible="drop",
    )
    assert json.loads(done.stdout) == json.loads(json.dumps(result.to_data()))


def test_sweep_in_every_form_is_what_python_says(folder: Path) -> None:
    """The same curves as JSON, as CSV and as a table."""
    curve = condped.sweep(
        str(folder / "results.csv"),
        objective="loss",
        space=folder / "space.json",
        parameters=["c", "x"],
    )
    as_json, as_csv, as_text = (
        condped_command("sweep", *basics(folder), *form) for form in (["--json"], ["--csv"], [])
    )
    for done in (as_json, as_csv, as_text):
        assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(as_json.stdout) == json.loads(json.dumps(curve.to_data()))
    rows = list(csv.DictReader(io.StringIO(as_csv.stdout)))
    assert len(rows) == 99 * 2
    found = [float(row["importance"]) for row in rows if row["parameter"] == "x"]
    assert found == curve["x"].tolist()
    assert as_text.stdout == f"{curve}\n"


def test_the_demo_runs_as_it_says(tmp_path: Path) -> None:
    """It writes the trials, the space and a picture, and its own command works."""
    done = condped_process("demo", "-n", "200", "--folder", tmp_path / "a demo")
    assert (done.returncode, done.stderr) == (0, "")
    made = {path.name for path in (tmp_path / "a demo").iterdir()}
    assert made == {"results.csv", "space.json", "importance.png"}
    assert (tmp_path / "a demo/importance.png").read_bytes().startswith(b"\x89PNG")
    (shown,) = (line[2:] for line in done.stdout.splitlines() if line.startswith("$ condped"))
    again = subprocess.run(
        shown.replace("condped", CONDPED, 1),
        shell=True,
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    assert (again.returncode, again.stderr) == (0, "")
    assert again.stdout.strip() in done.stdout
    assert max(len(line) for line in done.stdout.splitlines() if tmp_path.name not in line) <= 100


def test_the_demo_fits_its_terminal(tmp_path: Path) -> None:
    """Tables and explanations alike."""
    done = condped_command("demo", "-n", "200", "--folder", tmp_path / "d", columns=80)
    lines = click.unstyle(done.stdout).splitlines()
    assert max(len(line) for line in lines if tmp_path.name not in line) <= 80
    assert "\x1b[" in done.stdout  # in colours


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], []])
def test_help_lists_the_commands(arguments: list[str]) -> None:
    """A bare call shows it too."""
    done = condped_process(*arguments)
    shown = done.stdout + done.stderr
    assert all(f"\n  {name} " in shown for name in ("importance", "sweep", "demo"))


def test_version_is_the_packages() -> None:
    """One word and the number."""
    assert condped_process("--version").stdout == f"condped {condped.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["importance", "{results}"], "objective is needed"),
        (["importance", "{results}", "--objective", "los"], "Did you mean 'loss'"),
        (["importance", "{results}", "--objective", "end"], "'end' must be numeric"),
        (["importance", "{results}", "--objective", "loss", "-p", "zz"], "'zz'"),
        (["importance", "{results}", "--objective", "loss", "-q", "2"], "target_quantile"),
        (["importance", "{results}", "--objective", "loss", "-q", "nan"], "target_quantile"),
        (
            ["importance", "{results}", "--objective", "loss", "--region-quantile", "0.1"],
            "0.1 and 0.1",
        ),
        (
            ["importance", "{results}", "--objective", "loss", "--json", "--csv"],
            "only one of --json, --csv",
        ),
        (
            ["importance", "{results}", "--objective", "loss", "-d", "maximize", "-d", "minimize"],
            "direction",
        ),
        (["importance", "{results}", "--objective", "loss", "-s", "none.json"], "none.json"),
        (["importance", "{results}", "--objective", "loss", "-s", "{results}"], "not valid JSON"),
        (["importance", "{results}", "--objective", "loss", "--state", "c"], "state 'b'"),
        (["importance", "none.csv", "--objective", "loss"], "none.csv' cannot be read"),
        (["importance", "none.parquet", "--objective", "loss"], "none.parquet' cannot be read"),
        (["importance", "none.txt", "--objective", "loss"], "There is no file or directory"),
        (
            ["importance", "{folder}/torn.parquet", "--objective", "loss"],
            "torn.parquet' cannot be read",
        ),
        (["importance", "{folder}/double.csv", "--objective", "loss"], "two columns named 'x'"),
        (["sweep", "none.csv", "--objective", "loss"], "none.csv' cannot be read"),
        (
            ["sweep", "{results}", "--objective", "loss", "--region-quantile", "0.005"],
            "region_quantile",
        ),
        (["demo", "--folder", "{results}/below"], "results.csv"),
    ],
)
def test_what_a_user_did_wrong_ends_in_one_line(
    folder: Path, arguments: list[str], says: str
) -> None:
    """On stderr, with exit code 2 and nothing on stdout."""
    (folder / "torn.parquet").write_bytes(b"PAR1" + bytes(100) + b"PAR1")
    (folder / "double.csv").write_text("loss,x,x\n1,2,3\n", encoding="utf-8")
    done = condped_command(
        *(entry.format(folder=folder, results=folder / "results.csv") for entry in arguments)
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("condped: ")
    assert says in done.stderr
    assert done.stderr.rstrip("\n").count("\n") == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["importance"],
        ["importance", "{results}", "--objectiv"],
        ["importance", "{results}", "--objective", "loss", "-q", "much"],
        ["importance", "{results}", "--objective", "loss", "--measure", "best"],
        ["importance", "{results}", "--objective", "loss", "-d", "up"],
        ["nonsense"],
        ["demo", "-n", "0"],
        ["demo", "-n", "5", "-n", "6"],
    ],
)
def test_wrong_usage_ends_in_exit_code_2(folder: Path, arguments: list[str]) -> None:
    """The message comes with the way to the help."""
    done = condped_command(*(entry.format(results=folder / "results.csv") for entry in arguments))
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Error: " in done.stderr
    assert "Traceback" not in done.stderr


def test_undetermined_is_an_answer_not_an_error(tmp_path: Path) -> None:
    """All losses equal: exit code 0, and the output says why there is no ranking."""
    path = tmp_path / "flat.csv"
    path.write_text("loss,x\n1,2\n1,3\n1,4\n", encoding="utf-8")
    assert "Undetermined" in condped_process("importance", path, "--objective", "loss").stdout
    done = condped_process("importance", path, "--objective", "loss", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["status"] == "undetermined"


def test_without_parameters_the_csv_still_has_its_header(tmp_path: Path) -> None:
    """What reads the output finds its columns."""
    path = tmp_path / "bare.csv"
    path.write_text("loss\n1\n2\n", encoding="utf-8")
    done = condped_command("importance", path, "--objective", "loss", "--csv")
    assert done.returncode == 0
    assert done.stdout.startswith("parameter,importance,")


@pytest.mark.parametrize("command", ["importance", "sweep"])
@pytest.mark.parametrize("form", ["--json", "--csv"])
def test_a_reader_that_leaves_early_is_no_error(folder: Path, command: str, form: str) -> None:
    """As with ``| head -1`` of a long output: no traceback, no complaint."""
    with subprocess.Popen(
        [CONDPED, command, *map(str, basics(folder)), form],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) in (0, 1)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_an_output_that_cannot_be_written_is_told_in_one_line(folder: Path) -> None:
    """A full disk is no reason for a traceback."""
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [CONDPED, "importance", *map(str, basics(folder))],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            encoding="utf-8",
        )
    assert done.returncode != 0
    assert done.stderr.startswith("condped: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(os.name != "posix", reason="needs a shell that can close a stream")
def test_a_closed_output_gives_no_traceback(folder: Path) -> None:
    """As with ``>&-``."""
    done = subprocess.run(
        ["sh", "-c", '"$0" "$@" >&-', CONDPED, "importance", *map(str, basics(folder))],
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "C", "PYTHONUTF8": "0"},
        {"PYTHONIOENCODING": "cp1252"},
    ],
    ids=["ascii", "C", "cp1252"],
)
def test_a_console_without_greek_letters_gets_a_table_too(
    folder: Path, environment: dict[str, str]
) -> None:
    """What it cannot show is replaced."""
    done = subprocess.run(
        [CONDPED, "importance", *map(str, basics(folder))],
        capture_output=True,
        check=False,
        env={**os.environ, **environment},
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.splitlines()[2].startswith(b"parameter")


def test_warnings_and_noise_stay_out_of_the_output(folder: Path) -> None:
    """Even a user who turns every warning into an error gets the same answer."""
    strict = condped_process("importance", *basics(folder), environment={"PYTHONWARNINGS": "error"})
    assert (strict.returncode, strict.stderr) == (0, "")
    assert strict.stdout == condped_process("importance", *basics(folder)).stdout


def test_evidence_intervals_and_outcomes_on_the_command_line(tmp_path: Path) -> None:
    """Verdicts and intervals in the table and in JSON; what led to failing."""
    rng = np.random.default_rng(0)
    x, y = rng.random(200), rng.random(200)
    state = np.where(x < 0.3, "failed", "complete")
    lines = [
        "loss,x,y,state",
        *(f"{a + 0.1 * b},{a},{b},{s}" for a, b, s in zip(x, y, state, strict=True)),
    ]
    (tmp_path / "t.csv").write_text("\n".join(lines), encoding="utf-8")
    path = str(tmp_path / "t.csv")
    options = ["--objective", "loss", "--state", "state"]
    done = condped_command("importance", path, *options, "--intervals", "jackknife")
    assert "90 %" in done.stdout
    assert "matters" in done.stdout
    done = condped_command(
        "importance", path, *options, "--method", "calibrated", "--intervals", "half-sampling",
        "--level", "0.8", "--json",
    )  # fmt: skip
    data = json.loads(done.stdout)
    assert data["level"] == 0.8
    assert data["parameters"][0]["verdict"] == "matters"
    assert data["parameters"][0]["intervals"]["importance"]["low"] <= 1
    done = condped_command("importance", path, *options, "--target", "failed")
    assert done.stdout.startswith("What led to failing in 200 trials")
    done = condped_command("sweep", path, *options, "--intervals", "jackknife", "--csv")
    assert "importance_low" in done.stdout
