"""The site as it is built: without warnings, complete, and in need of no other host."""

from __future__ import annotations

import inspect
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from importlib import import_module
from inspect import isclass, isfunction
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import Browser
from sphinx.util.inventory import InventoryFile

import condped
from condped.cli.app import app
from condped.options import options_of
from condped.read.options import ReadOptions
from tests.show.conftest import browser  # noqa: F401

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
# What loads by itself, and may not come from elsewhere.
LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src"}
PHONE = {"width": 390, "height": 844}
SPECIAL = ("genindex.html", "search.html")  # made by Sphinx, about no subject


class Page(HTMLParser):
    """The links, the anchors and the text of a page, and what it loads."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect what refers to something."""
        found = {name: value or "" for name, value in attrs}
        self.ids.update(filter(None, (found.get("id"), found.get("name"))))
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        if tag == "link" and "rel" in found:
            self.loaded.append(found["href"])
        if tag in LOADED and LOADED[tag] in found:
            self.loaded.append(found[LOADED[tag]])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the site, built anew; the gallery's examples run in tests of their own.

    Extensions write beside the pages, so a copy is built, among links to the other folders.
    """
    folder = tmp_path_factory.mktemp("site")
    for entry in ROOT.iterdir():
        if entry.is_file():
            shutil.copy(entry, folder)
        elif entry != DOCS:
            (folder / entry.name).symlink_to(entry)
    made = shutil.ignore_patterns("_build", "questions", "generated")
    shutil.copytree(DOCS, folder / "docs", ignore=made)
    command = ["-m", "sphinx", "-q", "-n", "-W", "--keep-going", "-D", "plot_gallery=0"]
    done = subprocess.run(
        [sys.executable, *command, "-d", folder / "doctrees", folder / "docs", folder / "html"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder / "html"


@cache
def parsed(path: Path) -> Page:
    """Return a page, read once."""
    return Page(path)


def pages(site: Path) -> Iterator[Path]:
    """Return all pages but those of the theme."""
    return (path for path in sorted(site.rglob("*.html")) if "_static" not in path.parts)


def text_of(path: Path) -> str:
    """Return a page's words, without markup."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", path.read_text(encoding="utf-8")))


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    """No font, script, style or picture of another host."""
    for path in pages(site):
        assert not [url for url in parsed(path).loaded if urlsplit(url).netloc], path
    for style in site.rglob("*.css"):
        found = re.findall(r"(?:url\(|@import)\s*[\"']?([^\"')]+)", style.read_text("utf-8"))
        assert not [url for url in found if url.startswith(("http", "//"))], style


def test_every_local_link_and_anchor_resolves(site: Path) -> None:
    """Files are there, and parts of pages have the names by which others refer to them."""
    broken = []
    for path in pages(site):
        for link in parsed(path).links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or link == "#":
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            known = target.is_file() and (
                not parts.fragment
                or target.suffix != ".html"
                or unquote(parts.fragment) in parsed(target).ids
            )
            if not known:
                broken.append(f"{path.relative_to(site)}: {link}")
    assert not broken


def test_code_is_shown_as_code(site: Path) -> None:
    """Single backticks of reStructuredText would make it the title of a book."""
    assert not [path for path in pages(site) if "<cite>" in path.read_text(encoding="utf-8")]


def test_pages_of_no_section_have_no_navigation_of_one(site: Path) -> None:
    """There would be nothing in it."""
    for name in ("index", "changelog", "cite", "contributing"):
        assert "Section Navigation" not in (site / f"{name}.html").read_text(encoding="utf-8")
    assert "Section Navigation" in (site / "start" / "enough.html").read_text(encoding="utf-8")


def test_every_public_name_is_in_the_reference(site: Path) -> None:
    """Those of the package, and those of its public modules."""
    inventory = InventoryFile.loads((site / "objects.inv").read_bytes(), uri="")
    documented = {name for kind, names in inventory.data.items() if "py:" in kind for name in names}
    for name in condped.__all__:
        entry = getattr(condped, name)
        if not isinstance(entry, ModuleType):
            assert f"condped.{name}" in documented
    for module in (condped.baselines, condped.errors, condped.optuna, condped.plot):
        shown = f"condped.{module.__name__.rsplit('.', 1)[-1]}"
        for name in module.__all__:
            if isfunction(getattr(module, name)) or isclass(getattr(module, name)):
                assert f"{shown}.{name}" in documented


@pytest.mark.parametrize("name", ["importance", "sweep", "advise", "across", "report", "effects"])
def test_every_option_is_explained_where_it_stands(site: Path, name: str) -> None:
    """With its meaning and its default, on the page of each function that takes it."""
    page = text_of(site / "reference" / "api" / "generated" / f"condped.{name}.html")
    for option in options_of(getattr(condped, name)):
        meaning = plain(option.help).removesuffix(".")
        assert meaning in plain(page), option.name
        if option.default not in (None, ()):
            assert f"Default: {option.default!r}." in plain(page)


def plain(text: str) -> str:
    """Return a text without what HTML and reStructuredText write in another way."""
    for written, meant in (
        ("&quot;", '"'),
        ("&#x27;", "'"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("`", ""),
    ):
        text = text.replace(written, meant)
    return re.sub(r"\s+", " ", text)


def test_every_public_name_has_its_parameters_and_an_example() -> None:
    """Explained where they stand, or where that says; classes have attributes, too."""
    page = (DOCS / "reference" / "api" / "index.md").read_text(encoding="utf-8")
    lists = re.findall(r":nosignatures:\n\n(.*?)```", page, re.DOTALL)
    listed = [name for names in lists for name in names.split()]
    assert len(listed) > 75
    lacking = []
    for name in listed:
        first, _, rest = name.partition(".")
        holder = getattr(condped, first, None) if rest else condped
        if not isinstance(holder, ModuleType):  # condped.read is a function, and a package
            holder = import_module(f"condped.{name}".rpartition(".")[0])
        entry = getattr(holder, name.rpartition(".")[2])
        text = inspect.getdoc(entry) or ""
        own = inspect.signature(entry).parameters.values() if isfunction(entry) else ()
        known = {entry.name for entry in own if entry.kind is not entry.VAR_KEYWORD}
        explained = set(re.findall(r"\w+", "\n".join(re.findall(r"^\S.*$", text, re.MULTILINE))))
        if "Takes and returns what" not in text:
            lacking += [f"{name}({one})" for one in known - explained]
        # follow makes the one, and read describes the other
        if isclass(entry) and entry not in (condped.Followed, ReadOptions):
            lacking += [] if re.search(r"^(Parameters|Attributes)$", text, re.MULTILINE) else [name]
        lacking += [name] if "Examples\n" not in text else []
    assert not lacking


def test_functions_say_which_result_they_return(site: Path) -> None:
    """With a link to it."""
    page = (site / "reference/api/generated/condped.importance.html").read_text(encoding="utf-8")
    signature = page.partition('id="condped.importance"')[2].partition("</dt>")[0]
    assert 'href="condped.ImportanceResult.html' in signature


def test_every_command_and_option_is_in_the_reference(site: Path) -> None:
    """A page for each command, which the list of commands links; an anchor for each option."""
    listed = parsed(site / "reference" / "cli.html").links
    for name, command in app.commands.items():
        assert f"cli/{name}.html" in listed
        ids = parsed(site / "reference" / "cli" / f"{name}.html").ids
        assert f"condped-{name}" in ids
        for parameter in command.params:
            if parameter.param_type_name == "option" and not getattr(parameter, "hidden", False):
                assert f"cmdoption-condped-{name}{parameter.opts[0].replace('--', '-', 1)}".replace(
                    f"{name}--", f"{name}-"
                ) in ids, parameter.opts  # fmt: skip


def test_every_error_is_explained() -> None:
    """What it means, and more than its docstring."""
    page = (DOCS / "reference" / "errors.md").read_text(encoding="utf-8")
    for name in condped.errors.__all__:
        explained = re.search(rf"autoexception:: {name}\n\n((?:   .+\n)+)```", page)
        assert explained is not None, name
        assert len(explained[1]) > 40


def test_numbers_of_the_trust_page_are_on_the_pages_it_names() -> None:
    """Every number of the second column is found there."""
    folder = DOCS / "trust"
    rows = re.findall(r"^\|(.*)\|$", (folder / "index.md").read_text("utf-8"), re.MULTILINE)[2:]
    assert len(rows) > 12
    absent = []
    for row in rows:
        _, number, measured, _ = row.split("|")
        (page,) = re.findall(r"\((\w+\.md)\)", measured)
        text = (folder / page).read_text(encoding="utf-8")
        figures = re.findall(r"\d[\d,.]*\d|\d", number.replace("10 %", "").replace("90 %", ""))
        assert figures or "figures" in row, row
        absent += [
            (page, figure)
            for figure in figures
            if not re.search(rf"(?<![\d.]){re.escape(figure)}(?![\d])", text)
        ]
    assert absent == []


def test_the_list_for_language_models_is_complete(site: Path) -> None:
    """Title, summary, and every page with an address that is there, in the site's order."""
    text = (site / "llms.txt").read_text(encoding="utf-8")
    assert text.startswith(f"# condped {condped.__version__}\n\n> Hyperparameter importance")
    listed = re.findall(r"^- \[.+\]\(([^)]+)\)", text, re.MULTILINE)
    expected = {str(path.relative_to(site)) for path in pages(site)} - {*SPECIAL, "index.html"}
    assert sorted(listed) == sorted(name for name in expected if "sg_execution" not in name)
    assert listed[:2] == ["start/index.html", "start/install.html"]
    assert "](start/five-minutes.html): For anyone who has tuned something with Optuna" in text
    assert sum(line.endswith("…") for line in text.splitlines()) < 5  # cut where one is too long
    full = (site / "llms-full.txt").read_text(encoding="utf-8")
    assert "Every error is explained" not in full
    assert "Parameters that nothing uses are rarely said to matter" in full


def test_search_works_from_a_file(site: Path, browser: Browser) -> None:  # noqa: F811
    """Without a server."""
    page = browser.new_page()
    page.goto(f"{(site / 'search.html').as_uri()}?q=regime")
    page.wait_for_selector("#search-results li a", timeout=20_000)
    found = page.eval_on_selector_all("#search-results li a", "all => all.map(a => a.href)")
    assert any("glossary" in address for address in found)
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_is_wider_than_a_phone(site: Path, browser: Browser, scheme: Any) -> None:  # noqa: F811
    """Wide tables, code and pictures scroll inside; no other host is asked, nothing fails."""
    page = browser.new_page(viewport=PHONE, color_scheme=scheme)  # type: ignore[arg-type]
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: asked.append(f"error: {error}"))
    chosen = [path for path in pages(site) if "generated" not in path.parts]
    chosen.append(site / "reference" / "api" / "generated" / "condped.importance.html")
    for path in chosen if scheme == "light" else chosen[::10]:
        page.goto(path.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], path
        assert page.evaluate("document.documentElement.dataset.theme") == scheme
        shown = "all => all.map(picture => picture.clientWidth)"
        assert min(page.eval_on_selector_all("article figure > img", shown), default=600) >= 600
    assert not [url for url in asked if not url.startswith(("file:", "data:"))]
    page.close()
