"""``condped across``, ``condped diff`` and ``condped start`` as a user meets them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import optuna
import pytest

import condped
from tests.analyse.across.families import SPACE, family
from tests.cli.command import condped_command

OPTIONS = ("--objective", "loss", "--space", "space.json")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the CSV files of three studies and their space."""
    place = tmp_path_factory.mktemp("studies")
    for name, study in list(family().items())[:3]:
        with (place / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, ["loss", *SPACE])
            writer.writeheader()
            writer.writerows(study)
    (place / "space.json").write_text(json.dumps(SPACE), encoding="utf-8")
    return place


def run(folder: Path, *arguments: str) -> tuple[int, str, str]:
    """Run a command on the files of a folder; return its exit code, output and errors."""
    files = (".csv", ".json", ".html")
    inside = [
        str(folder / one) if one.endswith(files) and "=" not in one else one for one in arguments
    ]
    done = condped_command(*inside)
    return done.returncode, done.stdout, done.stderr


def expected(folder: Path) -> condped.Across:
    """Return the same from Python."""
    sources = {name: folder / f"{name}.csv" for name in ("adult", "cifar", "covertype")}
    return condped.across(sources, objective="loss", space=folder / "space.json")


def test_it_prints_what_python_prints(folder: Path) -> None:
    """As text, with names from the files."""
    code, out, err = run(folder, "across", "adult.csv", "cifar.csv", "covertype.csv", *OPTIONS)
    assert (code, err) == (0, "")
    assert out == f"{expected(folder)}\n"


def test_the_text_says_what_was_inferred_and_what_cannot_be_compared(folder: Path) -> None:
    """Without a space the domains come from the values; losing branches cannot be compared."""
    pair = ("adult.csv", "covertype.csv")
    code, out, _ = run(folder, "across", *pair, "--objective", "loss", "--sampling", "random")
    said = " ".join(out.split())
    assert code == 0
    assert "The domains were inferred from the values of each study" in said
    assert "Domains differ between studies. " in said
    assert "rate (in covertype no target trial has it)" in said
    assert "network wins in adult; svm wins in covertype." in said


def test_json_and_csv_are_the_results_own(folder: Path) -> None:
    """The plain data and the rows."""
    sources = [f"{name}={folder / name}.csv" for name in ("adult", "cifar", "covertype")]
    code, out, _ = run(folder, "across", *sources, *OPTIONS, "--json")
    assert code == 0
    assert json.loads(out) == json.loads(json.dumps(expected(folder).to_data()))
    code, out, _ = run(folder, "across", *sources, *OPTIONS, "--csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(row["parameter"], row["study"]) for row in rows] == [
        (row["parameter"], row["study"]) for row in expected(folder).rows()
    ]


def test_names_are_given_with_an_equals_sign(folder: Path) -> None:
    """NAME=SOURCE for all of them, or for none."""
    sources = [f"first={folder / 'adult.csv'}", f"second={folder / 'cifar.csv'}"]
    code, out, _ = run(folder, "across", *sources, *OPTIONS, "--json")
    assert code == 0
    assert [study["name"] for study in json.loads(out)["studies"]] == ["first", "second"]
    code, _, err = run(folder, "across", sources[0], "cifar.csv", *OPTIONS)
    assert code == 2
    assert "Name every source or none" in err
    code, _, err = run(folder, "across", sources[0], sources[0], *OPTIONS)
    assert code == 2
    assert "is given to two sources" in err


def test_one_source_may_hold_several_studies(folder: Path, tmp_path: Path) -> None:
    """A pattern of files, and a table with a column that names the studies."""
    pattern = str(folder / "[ac]*.csv")
    code, out, _ = run(folder, "across", pattern, *OPTIONS, "--json")
    assert code == 0
    assert json.loads(out)["cells"] == json.loads(json.dumps(expected(folder).to_data()))["cells"]
    table = tmp_path / "archive.csv"
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ["dataset", "loss", *SPACE])
        writer.writeheader()
        for name in ("adult", "cifar", "covertype"):
            with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as own:
                writer.writerows(row | {"dataset": name} for row in csv.DictReader(own))
    column = ("--study-column", "dataset")
    code, out, _ = run(folder, "across", str(table), *OPTIONS, *column, "--json")
    assert code == 0
    assert [one["name"] for one in json.loads(out)["studies"]] == ["adult", "cifar", "covertype"]


def test_a_page_and_reports_are_written(folder: Path, tmp_path: Path) -> None:
    """The page links to a report of each study."""
    page, reports = tmp_path / "across.html", tmp_path / "reports"
    code, _, err = run(
        folder, "across", "adult.csv", "cifar.csv", *OPTIONS, "--report", str(page), "--reports",
        str(reports), "--title", "Two of them",
    )  # fmt: skip
    assert code == 0
    assert err == f"Written to {page}.\n"
    assert "<title>Two of them</title>" in page.read_text("utf-8")
    assert sorted(file.name for file in reports.iterdir()) == ["1-adult.html", "2-cifar.html"]
    assert "reports/2-cifar.html" in page.read_text("utf-8")


def test_wrong_pages_are_refused_before_any_work(folder: Path, tmp_path: Path) -> None:
    """A file that is no page, reports without a page, and a page in place of a source."""
    both = ("across", "adult.csv", "cifar.csv", *OPTIONS)
    code, _, err = run(folder, *both, "--report", str(tmp_path / "page.txt"))
    assert (code, "must end in .html or .htm" in err) == (2, True)
    code, _, err = run(folder, *both, "--reports", str(tmp_path))
    assert (code, "Add --report FILE" in err) == (2, True)
    assert not list(tmp_path.iterdir())


def test_a_missing_file_is_named(folder: Path) -> None:
    """One line on standard error, and exit code 2."""
    code, out, err = run(folder, "across", "adult.csv", "nowhere.csv", *OPTIONS)
    assert (code, out) == (2, "")
    assert "nowhere.csv" in err
    assert len(err.splitlines()) == 1


def test_two_studies_are_compared(folder: Path) -> None:
    """``condped diff`` prints and writes what ``condped.difference`` returns."""
    files = [folder / "adult.csv", folder / "covertype.csv"]
    found = condped.difference(*files, objective="loss", space=folder / "space.json")
    code, out, err = run(folder, "diff", "adult.csv", "covertype.csv", *OPTIONS)
    assert (code, out, err) == (0, f"{found}\n", "")
    code, out, _ = run(folder, "diff", "adult.csv", "covertype.csv", *OPTIONS, "--json")
    assert json.loads(out) == json.loads(json.dumps(found.to_data()))
    common = condped.difference(
        *files, objective="loss", space=folder / "space.json", cutoff="common"
    )
    code, out, _ = run(
        folder, "diff", "adult.csv", "covertype.csv", *OPTIONS, "--cutoff", "common", "--csv"
    )
    assert (code, out) == (0, common.to_csv())
    code, _, err = run(folder, "diff", "adult.csv", "nowhere.csv", *OPTIONS)
    assert (code, "nowhere.csv" in err) == (2, True)


def test_where_to_start_next_time_is_printed(folder: Path) -> None:
    """``condped start`` prints the space, and with ``--starts`` the configurations, of Python."""
    start = ("start", "adult.csv", "cifar.csv", "covertype.csv", *OPTIONS)
    space, starts = expected(folder).space(risk=0.3), expected(folder).starts(4)
    assert run(folder, *start, "--risk", "0.3") == (0, f"{space}\n", "")
    assert run(folder, *start, "--starts", "4") == (0, f"{starts}\n", "")
    _, out, _ = run(folder, *start, "--risk", "0.3", "--json")
    assert json.loads(out) == json.loads(json.dumps(space.to_data()))
    _, out, _ = run(folder, *start)
    assert "3 studies do not suffice for a risk of 10 %" in out


def test_where_to_start_is_printed_in_every_form(folder: Path, tmp_path: Path) -> None:
    """As Markdown and LaTeX, and into a file, like every other result."""
    start = ("start", "adult.csv", "cifar.csv", "covertype.csv", *OPTIONS)
    space, starts = expected(folder).space(risk=0.3), expected(folder).starts(4)
    for given, found in (("--risk", "0.3"), space), (("--starts", "4"), starts):
        assert run(folder, *start, *given, "--latex") == (0, found.to_latex(), "")
        assert run(folder, *start, *given, "--markdown") == (0, found.to_markdown(), "")
        assert run(folder, *start, *given, "-o", f"{tmp_path}/start.tex")[0] == 0
        assert (tmp_path / "start.tex").read_text(encoding="utf-8") == found.to_latex()


@pytest.mark.parametrize("tool", ["optuna", "configspace", "ray", "hyperopt"])
def test_where_to_start_is_printed_as_code(folder: Path, tool: str) -> None:
    """Of the space for each tool, of the configurations for all but Hyperopt."""
    start = ("start", "adult.csv", "cifar.csv", "covertype.csv", *OPTIONS, "--code", tool)
    code = getattr(expected(folder).space(risk=0.3), f"{tool}_code")()
    assert run(folder, *start, "--risk", "0.3") == (0, f"{code}\n", "")
    found = run(folder, *start, "--starts", "4")
    if tool == "hyperopt":
        assert (found[0], "not written as code for Hyperopt" in found[2]) == (2, True)
    else:
        assert found[:2] == (0, f"{getattr(expected(folder).starts(4), f'{tool}_code')()}\n")


def test_a_start_as_json_can_be_used_again(folder: Path, tmp_path: Path) -> None:
    """The space is one to read trials with, and the configurations lie in it."""
    start = ("start", "adult.csv", "cifar.csv", "covertype.csv", *OPTIONS, "--code", "json")
    _, out, _ = run(folder, *start, "--risk", "0.3")
    (tmp_path / "narrow.json").write_text(out, encoding="utf-8")
    read = condped.read(
        folder / "adult.csv", objective="loss", space=tmp_path / "narrow.json", outside="drop"
    )
    assert set(read.names) <= set(SPACE)
    _, out, _ = run(folder, *start, "--starts", "4")
    assert json.loads(out) == expected(folder).starts(4).configurations
    past = expected(folder)
    _, out, _ = run(folder, *start, "--starts", "9", "--risk", "0.3")
    assert json.loads(out) == past.starts(9, past.space(0.3)).configurations


def test_two_studies_of_one_storage_are_compared(tmp_path: Path) -> None:
    """By naming both; any other option of one value is refused if it is given twice."""
    url = f"sqlite:///{tmp_path / 'team.db'}"
    for seed, name in enumerate(("one", "two", "three")):
        sampler = optuna.samplers.RandomSampler(seed=seed)
        study = optuna.create_study(storage=url, study_name=name, sampler=sampler)
        study.optimize(lambda t: t.suggest_float("x", 0, 1), n_trials=30)
    found = condped.difference(url, url, study=("two", "one"))
    names = ("--study", "two", "--study", "one")
    for sources in ([url], [url, url]):
        assert run(tmp_path, "diff", *sources, *names) == (0, f"{found}\n", "")
    code, _, err = run(tmp_path, "diff", url, "--study", "two")
    assert (code, "or --study twice" in err) == (2, True)
    code, out, _ = run(tmp_path, "across", url, *names)
    assert (code, out) == (0, f"{condped.across(url, study=['one', 'two'])}\n")
    code, _, err = run(tmp_path, "importance", url, *names)
    assert (code, "--study takes one value (given 2 times)" in err) == (2, True)
    code, _, err = run(tmp_path, "diff", url, *names, "-q", "0.1", "--target-quantile", "0.2")
    assert (code, "--target-quantile takes one value" in err) == (2, True)
