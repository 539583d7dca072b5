"""Markdown, read by a parser of the form that GitHub shows."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import condped
from condped.errors import SettingsError
from condped.safe_text import printable
from condped.show.documents import document_of
from condped.show.documents.markdown import code_span, escaped
from condped.show.documents.parts import Table
from condped.show.text.advice import left_as_they_are
from tests.show.cases import EQUAL, HOSTILE
from tests.show.documents.results import results

markdown_it = pytest.importorskip("markdown_it")
KINDS = tuple(results())
# Letters that mean something to Markdown, some of them twice as likely to stand together.
MARKUP = st.text(st.sampled_from(list("`|\\*_~$<>[]()#&;!+-=. ab1@:/\"'{}^")), min_size=1)


class Page(HTMLParser):
    """Keeps the cells of tables, the texts and the names of all elements."""

    def __init__(self) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.text = ""
        self.elements: set[str] = set()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.elements.add(tag)
        if tag in ("td", "th"):
            self.cells.append("")
            self.cell = True

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self.cell = False

    cell = False

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.cell:
            self.cells[-1] += data


def read(text: str) -> Page:
    """Return what a reader sees, HTML in the text included."""
    parser = markdown_it.MarkdownIt("commonmark").enable(["table", "strikethrough"])
    page = Page()
    page.feed(parser.render(text))
    return page


@given(MARKUP)
def test_a_text_shows_as_it_is(text: str) -> None:
    """As a paragraph, as an entry of a list and in a cell."""
    plain = printable(text)
    if not plain:
        return
    shown = escaped(text)
    assert read(shown).text.strip() == plain
    assert read(f"- {shown}").text.strip() == plain
    assert read(f"| {shown} | end |\n| --- | --- |\n").cells == [plain, "end"]
    assert read(shown).elements <= {"p", "code"}


@pytest.mark.parametrize(
    "text",
    ["@user", "by @user, @org/team.", "#12", "see a/b#12", "GH-7", "x@example.org", "(@a)", "#@a"],
)
def test_nobody_is_mentioned_and_nothing_linked(text: str) -> None:
    """GitHub looks for them in all texts but code, after reading escapes."""
    page = read(escaped(text))
    assert page.text.strip() == text
    outside = re.sub(r"`[^`]*`", "", escaped(text))
    assert not re.search(r"[@#]\w|GH-\d", outside)


def test_names_in_sentences_are_no_mentions() -> None:
    """Of effects, which are told in sentences."""
    rng = np.random.default_rng(0)
    x, y = rng.random((2, 200))
    found = condped.effects({"@user": x, "#12": y, "loss": x}, objective="loss")
    outside = re.sub(r"`[^`]*`", "", found.to_markdown())
    assert not re.search(r"@user|#12", outside)


@given(MARKUP)
def test_a_name_shows_as_it_is_spelt(text: str) -> None:
    """In a cell, whatever backticks and bars it holds."""
    plain = printable(text)
    if plain:
        cells = read(f"| {code_span(text)} | end |\n| --- | --- |\n").cells
        assert cells == [plain, "end"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_cell_of_every_table_arrives(kind: str) -> None:
    """The parser finds as many rows and columns as there are, with their texts."""
    found = results()[kind]
    tables = [part for part in document_of(found).parts if isinstance(part, Table) and part.rows]
    cells = [cell for table in tables for row in (table.header, *table.rows) for cell in row]
    page = read(found.to_markdown())
    assert [cell.strip() for cell in page.cells] == [printable(cell) for cell in cells]
    assert page.elements <= {
        "h3", "p", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "code", "pre",
        "blockquote", "strong",
    }  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_markdown_says_what_the_text_says(kind: str) -> None:
    """Every sentence of the printed text is in it: the account, ties, reasons, notes."""
    found = results()[kind]
    seen = " ".join(read(found.to_markdown()).text.split())
    paragraphs = found.to_text(10**6).split("\n\n")
    sentences = [line.strip() for part in paragraphs for line in part.splitlines()]
    # The marks of a list, and numbers that are columns of a table, are the text's own.
    own = re.compile(r"^· |^keeps .* of the domain\. |^keeps .* stay\. ")
    told = [own.sub("", line) for line in sentences if line.endswith(".") and "  " not in line]
    assert told or kind in ("sources", "starts", "prior")
    assert [line for line in told if line not in seen] == []


@pytest.mark.parametrize("kind", ["no advice", "nothing narrowed"])
def test_what_is_left_is_a_list_of_its_own(kind: str) -> None:
    """The account of the trials and other notes are no entries of it."""
    page = markdown_it.MarkdownIt("commonmark").render(results()[kind].to_markdown())
    listed = re.split(r"<p>(?:Leave|Left) as they are:</p>\s*", page)[1].split("</ul>")[0]
    assert listed.count("<li>") == len(left_as_they_are(results()[kind].steps))


def test_names_that_are_markup_stay_text() -> None:
    """Hostile names make no element, no link and no formula."""
    text = results()["hostile"].to_markdown()
    page = read(text)
    assert "img" not in page.elements
    assert all(name in page.cells for name in HOSTILE)
    assert all(f"`{name}`" in text for name in ("$x^2$ cost$", "</script>"))


def test_ties_and_reasons_come_before_any_number() -> None:
    """In a block of their own, above the table."""
    text = condped.importance(EQUAL, objective="loss").to_markdown()
    quoted = [line for line in text.splitlines() if line.startswith("> **")]
    assert any("Undetermined" in line for line in quoted)
    assert "|" not in text or text.index("> **") < text.index("\n|")
    tied = {"x": [i / 40 for i in range(40)], "loss": [0.5] * 20 + [1.0] * 20}
    assert "share the best value 0.5" in condped.importance(tied, objective="loss").to_markdown()


def test_headings_and_files(tmp_path: Path) -> None:
    """The level of the heading is chosen, and .md files hold the same."""
    found = results()["importance"]
    assert found.to_markdown(heading=1).startswith("# What")
    with pytest.raises(SettingsError, match="from 1 to 6"):
        found.to_markdown(heading=7)
    found.save(tmp_path / "result.md")
    assert (tmp_path / "result.md").read_text(encoding="utf-8") == found.to_markdown()
    found.save(tmp_path / "result.tex")
    assert (tmp_path / "result.tex").read_text(encoding="utf-8") == found.to_latex()
