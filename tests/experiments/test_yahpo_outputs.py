"""Figures, tables, claims and the page, made of rows."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest

from experiments.claims.checking import check_all
from experiments.claims.registry import all_claims
from experiments.registry import Row
from experiments.running import run
from experiments.store import Store
from experiments.yahpo import catalogue, page, results
from experiments.yahpo.agreement import sentences
from experiments.yahpo.catalogue import experiments
from experiments.yahpo.claims.correlations import rbv2_highest, rbv2_stable
from experiments.yahpo.claims.measures import judged
from experiments.yahpo.claims.printed import gaps, last_rows, maxima, sorted_tables
from experiments.yahpo.folder import ANOTHER_GENERATION, VARIABLE
from experiments.yahpo.tables import correlation_lines, objective_lines, title
from tests.experiments.yahpo_sets import write_sets

TABLES = ("table-2", "table-4")
NAMES = ("figure-5", "figure-15", "table-1", "table-2", "table-3", "table-4")


class Rows:
    """Runs of made-up rows."""

    def __init__(self, **rows: list[Row]) -> None:
        self._rows = rows

    def rows(self, experiment: str) -> list[Row]:
        """Return them by the experiment's name."""
        return self._rows[experiment.replace("-", "_")]


def made_up(method: str, importances: list[float], instance: str = "1053") -> list[Row]:
    """Return rows of a table: learners a, b, c with rising objectives."""
    return [
        {"scenario": "rbv2_test", "instance": instance, "seed": 42, "method": method,
         "learner": name, "objective": place, "importance": value}
        for place, (name, value) in enumerate(zip("abc", importances, strict=True))
    ]  # fmt: skip


@pytest.fixture
def finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """All six experiments, run quickly on a small folder."""
    folder = write_sets(tmp_path / "sets")
    monkeypatch.setenv(VARIABLE, str(folder))
    store = Store(tmp_path / "out", quick=True)
    # Forests take their time; that they are all asked is tested on fewer trials.
    few = ("paper", "calibrated", "ped-anova/filtering", "ped-anova/imputation")
    chosen = [
        replace(one, compute=partial(cast(Any, one.compute), methods=few))
        if one.name in TABLES
        else one
        for one in experiments(folder)
    ]
    run(chosen, store, workers=1)
    return store


def test_every_experiment_writes_its_files_and_says_where_the_data_come_from(
    finished: Store,
) -> None:
    """Figures as PNG and SVG, tables as Markdown and CSV, and a page of all."""
    for name in NAMES:
        kinds = ("png", "svg", "csv") if name.startswith("figure") else ("md", "csv")
        for kind in kinds:
            assert (finished.of(name) / f"{name}.{kind}").stat().st_size > 100
    for name in ("table-1", "table-2"):
        assert ANOTHER_GENERATION in (finished.of(name) / f"{name}.md").read_text()
    table = (finished.of("table-2") / "table-2.md").read_text()
    assert "Not in a quick run: f-ANOVA with filtering" in table
    with (finished.of("figure-5") / "figure-5.csv").open() as file:
        shown = list(csv.DictReader(file))
    assert sum(float(r["importance"]) for r in shown if r["method"] == "paper") == pytest.approx(1)
    found = results.collect(finished)
    text = page.page(found)
    assert ANOTHER_GENERATION in text
    assert found == json.loads(json.dumps(found))


def test_nothing_is_run_where_there_are_no_evaluations(tmp_path: Path) -> None:
    """Each experiment says why, and how to get data."""
    said: list[str] = []
    run(experiments(None), Store(tmp_path, quick=True), workers=1, say=said.append)
    assert len(said) == len(NAMES)
    for name in NAMES:
        line = next(line for line in said if line.startswith(f"{name} is skipped"))
        assert "experiments.yahpo.sample" in line
    assert not list(tmp_path.iterdir())


def test_a_folder_that_was_misspelt_stops_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The experiments are listed all the same, and say what is wrong."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "none"))
    for one in catalogue._found():
        assert "No evaluation sets" in (one.unavailable or "")


def test_numbers_stand_beside_the_paper_s() -> None:
    """One row each, read by eye from the paper."""
    own = {"value": 0.9, "error": 0.01}
    lines = objective_lines("1053", {"svm": {"low": own, "mean": own, "high": own}})
    assert lines[-1] == (
        "| `svm` | 0.900 ± 0.010 | 0.727 ± 0.004 | 0.900 ± 0.010 | 0.796 ± 0.001 "
        "| 0.900 ± 0.010 | 0.926 ± 0.005 |"
    )
    shown = correlation_lines("iaml", {"1489": {"paper": {"mean": 0.5}}}, "mean")
    assert shown[2] == "| condPED-ANOVA | 0.50 (0.85) | 0.50 ± 0.00 |"
    assert shown[-1] == "| SHAP with imputation | — (0.60) | — |"
    assert title("mdi/filtering") == "MDI with filtering"


def test_a_claim_holds_or_not_by_its_rows() -> None:
    """The same claim on rows that follow performance, and on rows that do not."""
    rival = made_up("mdi/filtering", [0.1, 0.3, 0.2])
    good = Rows(table_2=[*made_up("paper", [0.1, 0.2, 0.3]), *rival])
    bad = Rows(table_2=[*made_up("paper", [0.3, 0.2, 0.1]), *rival])
    assert rbv2_highest(good).verdict == "holds"
    assert rbv2_highest(bad).verdict == "does not hold"
    assert ANOTHER_GENERATION in rbv2_highest(good).note
    assert rbv2_stable(good).verdict == "holds partly"  # no baseline is negative
    assert rbv2_stable(bad).verdict == "does not hold"
    both = Rows(table_2=[*made_up("paper", [0.1, 0.2, 0.3]), *rival,
                         *made_up("paper", [0.3, 0.2, 0.1], "9"),
                         *made_up("mdi/filtering", [0.1, 0.2, 0.3], "9")])  # fmt: skip
    assert rbv2_highest(both).verdict == "does not hold"  # ahead on one, behind on the other
    tie = Rows(table_2=[*made_up("paper", [0.1, 0.2, 0.3]), *rival,
                        *made_up("paper", [0.1, 0.2, 0.3], "9"),
                        *made_up("mdi/filtering", [0.1, 0.2, 0.3], "9")])  # fmt: skip
    assert rbv2_highest(tie).verdict == "holds partly"
    assert "clearly ahead on 1, a tie on 1" in rbv2_highest(tie).note
    assert [judged(parts) for parts in ([True, True], [True, False], [False])] == [
        "holds",
        "holds partly",
        "does not hold",
    ]


def test_claims_about_instances_without_evaluations_are_not_judged(finished: Store) -> None:
    """The folder has no 1063; what it has is judged."""
    found = check_all([claim for claim in all_claims() if "yahpo" in claim.name], finished, _quiet)
    assert [one["name"] for one in found["not_checked"]] == ["yahpo-1063-gate"]
    assert found["counts"]["checked"] == 15


def _quiet(done: int, total: int, text: str) -> None:
    """Show no progress."""


def test_claims_on_printed_numbers() -> None:
    """By eye: on 1063 ranger (0.874) stands above glmnet (0.883); 0.031 is not below 0.029."""
    nothing = Rows()
    assert sorted_tables(nothing).verdict == "holds partly"
    assert "ranger 0.874 above glmnet 0.883 on 1063" in sorted_tables(nothing).measured
    assert maxima(nothing).verdict == "holds"
    assert gaps(nothing).verdict == "holds partly"
    assert last_rows(nothing).verdict == "holds"


def test_the_claims_are_registered() -> None:
    """Under one heading, each with its place."""
    own = [claim for claim in all_claims() if claim.name.startswith("yahpo-")]
    assert len(own) == 16
    assert {"§6.2, Figure 5", "§6.3, Table 2", "App. G.2, Table 4"} <= {one.place for one in own}
    assert {claim.section for claim in own} == {"Real-world benchmarks"}


def test_the_page_is_that_of_the_results() -> None:
    """Whoever changes one must make the other anew: python -m experiments.yahpo."""
    found = results.load()
    assert page.FILE.read_text(encoding="utf-8") == page.page(found)
    for name in ("figure-5", "figure-15"):
        assert (page.FILE.parent / "paper" / f"{name}.png").is_file()


def test_the_page_never_calls_another_generation_a_reproduction() -> None:
    """The label stands where the numbers begin, and sentences follow the numbers."""
    found = results.load()
    label = [source["label"] for source in found["sources"].values()]
    if ANOTHER_GENERATION in label:
        head = page.page(found).partition("## ")[0]
        assert ANOTHER_GENERATION in head
    before = sentences(found)
    for lead in found["leads"]["rbv2"]["paper"].values():
        lead["value"] = -0.5
    after = sentences(found)
    assert any("condPED-ANOVA is clearly ahead of every baseline on 0 of" in line for line in after)
    assert before != after
