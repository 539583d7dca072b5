"""The page of several studies, in a real Chromium with networking off."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from playwright.sync_api import Page

import condped
from condped.analyse.evidence.evidence import Verdict
from condped.errors import SettingsError
from condped.show.across_answer import answer_of
from condped.show.across_branches import BRANCH_MEANING
from condped.show.views.across import alike_first
from tests.analyse.across.families import OPTIONS, family
from tests.show.across_results import compared, made_up
from tests.show.report.conftest import Opener

_LARGEST = 1_500_000  # bytes of 100 studies with 30 parameters


def labels(page: Page, kind: str) -> list[str]:
    """Return the names beside or above the map, in order."""
    nodes = page.locator(f"#heat .{kind} > title").all_text_contents()
    return [node.partition(": sort")[0] for node in nodes]


def point_at(page: Page, parameter: str, study: str) -> str:
    """Point at a cell of the map, and return what is said of it."""
    row, column = labels(page, "row").index(parameter), labels(page, "study").index(study)
    cells = page.locator("#heat rect.cell")
    box = cells.nth(row * len(labels(page, "study")) + column).bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    return page.locator("#tip").inner_text()


def test_the_first_screen_is_the_answer(opened: Opener) -> None:
    """What matters, where studies differ, odd ones and branches, without scrolling."""
    across = made_up(5, 6, odd=(2, 3))
    page = opened(across, folded=True, viewport={"width": 1400, "height": 900})
    shown = page.locator("#answer")
    for sentence in answer_of(across).sentences:
        assert sentence.removeprefix("Odd: ") in shown.inner_text().replace("\xa0", " ")
    box = shown.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] < 900


def test_the_map_says_what_the_comparison_says(opened: Opener) -> None:
    """Each cell by pointing at it; a study without the parameter says so."""
    across = made_up(4, 5, odd=(1, 2))
    page = opened(across, viewport={"width": 1400, "height": 1400})
    assert labels(page, "row") == list(across.names)
    assert labels(page, "study") == [across.studies[place].name for place in alike_first(across)]
    for name in across.names:
        for study in across.studies:
            cell, said = across.cell(name, study.name), point_at(page, name, study.name)
            assert said.startswith(f"{name} in {study.name}: ")
            if cell is None:
                assert "not a parameter of this study" in said
                continue
            shown = "<\xa00.001" if cell.importance < 0.0005 else f"{cell.importance:.3f}"
            assert f"importance {shown} (" in said
            assert f", {cell.verdict} (" in said
            assert ("Odd: " in said) == cell.odd
    assert page.locator("#heat .odd-ring").count() == 1


def test_the_map_is_sorted_by_a_parameter_or_a_study(opened: Opener) -> None:
    """By its name on the map, or in the lists above it."""
    across = compared()
    page = opened(across)
    page.locator("#heat .row", has_text="dropout").click()
    expected = sorted(
        (study.name for study in across.studies),
        key=lambda name: -across.cell("dropout", name).importance,  # type: ignore[union-attr]
    )
    assert labels(page, "study") == expected
    page.locator("#order-parameters").select_option(label="covertype")
    own = sorted(across.names, key=lambda n: -across.cell(n, "covertype").importance)  # type: ignore[union-attr]
    assert labels(page, "row")[:3] == own[:3]
    page.locator("#order-studies").select_option("name")
    assert labels(page, "study") == sorted(study.name for study in across.studies)


def test_a_card_shows_each_study_with_its_interval(opened: Opener) -> None:
    """A forest plot: a dot and a line per study that has the parameter, and the mean."""
    across = made_up(3, 8, odd=(0, 1))
    page = opened(across)
    page.locator("#cards .card summary").first.click()
    body = page.locator("#cards .card .body").first
    body.locator("svg.forest").wait_for()
    own = [cell for cell in across.cells if cell.parameter == across.names[0]]
    assert body.locator("circle.point").count() == len(own)
    assert body.locator("line.line").count() == len(own)
    assert body.locator(".odd-label").text_content() == (
        f"study 1{across.names[0]} in study 1: " + point_words(body.locator(".odd-label title"))
    )
    assert body.locator("path.mean").count() == 1


def point_words(title: object) -> str:
    """Return what a title says behind the place."""
    text: str = title.text_content()  # type: ignore[attr-defined]
    return text.partition(": ")[2]


@pytest.mark.parametrize("width", [1400, 820, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_the_screen(opened: Opener, width: int, scheme: str) -> None:
    """With few and with many studies, all sections and a card open."""
    for across in (made_up(5, 3, prefix="quite a long name of a "), made_up(30, 120)):
        view = {"width": width, "height": 900}
        page = opened(across, viewport=view, color_scheme=scheme)
        page.evaluate("() => { document.querySelector('details.card').open = true; }")
        page.locator("svg.forest").first.wait_for()
        assert page.evaluate("() => document.documentElement.scrollWidth - innerWidth") <= 0


def test_names_stay_text(opened: Opener) -> None:
    """Whatever studies, parameters and branches are called."""
    across = made_up(3, 3, prefix="</script><img src=x onerror=alert(1)>")
    page = opened(across)
    assert page.locator("img").count() == 0
    assert page.locator("#heat .row").count() == 3


def test_a_hundred_studies_stay_small(opened: Opener, tmp_path: Path) -> None:
    """100 studies with 30 parameters are below 1.5 MB, and the rest of the parameters open."""
    across = made_up(30, 100)
    across.report(tmp_path / "across.html")
    assert (tmp_path / "across.html").stat().st_size < _LARGEST
    page = opened(across)
    assert page.locator("#cards .card").count() == 20
    page.locator("#cards-more button").click()
    assert page.locator("#cards .card").count() == 30
    page.locator("#filter").fill("parameter 29")
    assert page.locator("#cards .card").count() == 1


def test_of_thousands_of_studies_some_are_on_the_page(tmp_path: Path) -> None:
    """The odd one is among them, the means are those of all, and what is left out is counted."""
    across = made_up(2, 1_500, odd=(0, 1_497))
    across.report(tmp_path / "across.html")
    page = (tmp_path / "across.html").read_text("utf-8")
    data = json.loads(page.partition('id="data">')[2].partition("</script>")[0])
    names = [study["name"] for study in data["studies"]]
    assert len(names) == len(set(names)) == 1_000
    assert "study 1497" in names
    assert [len(row) for row in data["cells"]] == [1_000, 1_000]
    assert data["parameters"][0]["importance"] == pytest.approx(
        across.parameters[0].importance, 1e-3
    )
    assert data["notes"][0].startswith("1,000 of the 1,500 studies are on this page")


def test_files_hold_the_rows(opened: Opener, tmp_path: Path) -> None:
    """What the page writes is what Python does, to the digits that it shows."""
    across = compared()
    page = opened(across)
    with page.expect_download() as download:
        page.locator("#downloads button", has_text=re.compile(r"^across\.csv$")).click()
    download.value.save_as(tmp_path / "across.csv")
    found = {
        (row["parameter"], row["study"]): row
        for row in csv.DictReader(io.StringIO((tmp_path / "across.csv").read_text("utf-8")))
    }
    assert len(found) == len(across.rows())
    for row in across.rows():
        own = found[row["parameter"], row["study"]]
        for name in ("importance", "low", "high", "p_value", "inside"):
            expected = "" if row[name] is None else pytest.approx(row[name], rel=1e-3, abs=1e-12)
            assert (own[name] and float(own[name])) == expected
        assert (own["verdict"], own["good"]) == (row["verdict"], row["good"])
        assert own["odd"] == str(row["odd"]).lower()
    with page.expect_download() as download:
        page.locator("#downloads button", has_text="across.json").click()
    download.value.save_as(tmp_path / "across.json")
    assert json.loads((tmp_path / "across.json").read_text("utf-8"))["level"] == across.level


def test_branches_are_listed_by_study(opened: Opener) -> None:
    """A row per study, a column per branch, with who wins and loses."""
    across = compared()
    page = opened(across)
    rows = page.locator("#branch-list tbody tr").all()
    assert len(rows) == len(across.studies)
    for row in rows:
        study, *cells = row.locator("td").all_text_contents()
        own = [one for one in across.branches if one.study == study]
        for cell, branch in zip(cells, own, strict=True):
            standing = "" if branch.standing == "no evidence" else f"{branch.standing} "
            counted = f"{branch.target_trials} of {branch.target_of}"
            assert cell.startswith(f"{standing}{counted}")
    told = page.locator("#branches-gist").inner_text()
    assert told == answer_of(across).branch_heading


def test_the_fold_of_branches_says_what_the_first_screen_says(opened: Opener) -> None:
    """One winner and no evidence elsewhere is not "the same everywhere"."""
    across = compared()
    some = tuple(
        one if one.study == "covertype" else dataclasses.replace(one, standing="no evidence")
        for one in across.branches
    )
    page = opened(dataclasses.replace(across, branches=some))
    told = page.locator("#branches-gist").inner_text()
    assert told == "svm wins in covertype, no clear winner in the other 3"
    assert "svm wins in covertype; no clear winner" in page.locator("#answer").inner_text()
    assert BRANCH_MEANING in page.locator("#branch-list").inner_text()


def test_unclear_cells_are_paler(opened: Opener) -> None:
    """Of one importance, what is unclear is less than half as strong as what matters."""
    across = made_up(1, 2)
    verdicts: tuple[Verdict, ...] = ("matters", "unclear")
    cells = tuple(
        dataclasses.replace(cell, importance=0.6, verdict=verdict)
        for cell, verdict in zip(across.cells, verdicts, strict=True)
    )
    page = opened(dataclasses.replace(across, cells=cells))
    drawn = page.locator("#heat rect.cell").all()
    strong, pale = (float(cell.get_attribute("fill-opacity") or 1) for cell in drawn)
    assert pale < 0.5 * strong


def test_on_a_phone_tables_are_lists_and_plots_keep_their_words(opened: Opener) -> None:
    """Every cell of the tables is inside the screen, with its heading; so are the plots' words."""
    across = made_up(3, 4)
    part = tuple(dataclasses.replace(study, trials=150) for study in across.studies[:1])
    across = dataclasses.replace(across, studies=(*part, *across.studies[1:]))
    page = opened(across, viewport={"width": 390, "height": 900})
    for where in ("#branch-list", "#study-list"):
        for cell in page.locator(f"{where} td").all():
            box = cell.bounding_box()
            assert box is None or box["x"] + box["width"] <= 390
        second = page.locator(f"{where} tbody tr td:nth-child(2)").first
        label = second.evaluate("cell => getComputedStyle(cell, '::before').content")
        assert label.strip('"') in {"left", "Trials used"}
    first = page.locator("#study-list tbody tr").first
    assert first.locator("td").nth(1).inner_text() == "100 of 150"
    page.evaluate("() => { document.querySelector('details.card').open = true; }")
    page.locator("svg.forest").first.wait_for()
    words = page.locator("svg.forest").first.text_content() or ""
    one = across.parameters[0]
    assert f"({one.low:.3f}–{one.high:.3f})" in words


def test_names_do_not_break_in_the_answer(opened: Opener) -> None:
    """A study's name with a hyphen stands on one line, and select boxes show their options."""
    across = made_up(2, 3, prefix="quite-long-names-of-")
    page = opened(across, viewport={"width": 390, "height": 900})
    names = page.locator("#answer .lead .whole").all()
    assert names
    for name in names:
        box = name.bounding_box()
        assert box is not None
        assert box["height"] < 40
    room = page.locator("#order-parameters").evaluate(
        """box => {
          const pen = document.createElement("canvas").getContext("2d");
          pen.font = getComputedStyle(box).font;
          return box.clientWidth - pen.measureText("by spread between studies").width;
        }"""
    )
    assert room > 20  # for the edges and the arrow


def test_a_reader_without_scripts_gets_the_text(opened: Opener) -> None:
    """The same as print shows."""
    across = compared()
    page = opened(across, java_script_enabled=False)
    assert page.locator("noscript pre").inner_text().split() == str(across).split()


def test_reports_of_single_studies_are_written_and_linked(tmp_path: Path) -> None:
    """A file per study beside the page, each a report with its study's name; links are relative."""
    studies = dict(list(family().items())[:2])
    studies["odd/name?"] = studies.pop("cifar")
    across = condped.across(studies, **OPTIONS)
    across.report(tmp_path / "across.html", reports=tmp_path / "single reports")
    page = (tmp_path / "across.html").read_text("utf-8")
    data = json.loads(page.partition('id="data">')[2].partition("</script>")[0])
    for study in data["studies"]:
        file = tmp_path / unquote(study["report"])
        assert file.is_relative_to(tmp_path / "single reports")
        title = re.findall(r"<title>(.*)</title>", file.read_text("utf-8"))
        assert title == [study["name"]]
    across.save(tmp_path / "across.json")
    loaded = condped.load(tmp_path / "across.json")
    assert isinstance(loaded, condped.Across)
    loaded.report(tmp_path / "again.html")
    with pytest.raises(SettingsError, match="need their trials"):
        loaded.report(tmp_path / "again.html", reports=tmp_path / "again")


def test_a_page_is_named_as_one(tmp_path: Path) -> None:
    """Another ending is refused before anything is written."""
    with pytest.raises(SettingsError, match=r"must end in \.html or \.htm \(got "):
        made_up(2, 2).report(tmp_path / "across.txt")
    assert not list(tmp_path.iterdir())
