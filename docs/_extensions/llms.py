"""``llms.txt`` beside the start page: every page with its address and a line about it.

``llms-full.txt`` has the text of them all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

_LONGEST = 200  # letters of a line about a page
# What a page is listed under, by the folder it is in.
_PARTS = {
    "start": "Start",
    "coming-from": "Coming from another tool",
    "how-to": "How to",
    "gallery": "Gallery by question",
    "understand": "Understand",
    "reference": "Reference",
    "trust": "Trust",
    "": "This project",
}


def about(doctree: nodes.document) -> str:
    """Return the first sentence of a page's first paragraph."""
    for paragraph in doctree.findall(nodes.paragraph):
        if isinstance(paragraph.parent, (nodes.section, addnodes.desc_content)):
            text = " ".join(paragraph.astext().split())
            first = re.split(r"(?<=[.!?]) |: (?=[A-Z])", text)[0]
            return first if len(first) <= _LONGEST else f"{first[: _LONGEST - 1].rstrip()}…"
    return ""


def _write(app: Sphinx, failed: Exception | None) -> None:
    if failed or app.builder.format != "html":
        return
    listed: dict[str, list[str]] = {part: [] for part in _PARTS}
    full: list[str] = []
    for name in _in_order(app, "index"):
        doctree = app.env.get_doctree(name)
        title = app.env.titles[name].astext()
        full.append(f"{title}\n{'=' * len(title)}\n({name}.html)\n\n{_text(doctree)}")
        if name == "index":
            continue
        part = name.split("/")[0].replace("questions", "gallery") if "/" in name else ""
        line = about(doctree)
        listed[part].append(f"- [{title}]({name}.html)" + (f": {line}" if line else ""))
    summary = about(app.env.get_doctree("index"))
    sections = [
        f"## {_PARTS[part]}\n\n" + "\n".join(lines) for part, lines in listed.items() if lines
    ]
    head = f"# {app.config.project} {app.config.release}\n\n> {summary}"
    out = Path(app.outdir)
    (out / "llms.txt").write_text("\n\n".join([head, *sections]) + "\n", encoding="utf-8")
    (out / "llms-full.txt").write_text("\n\n\n".join([head, *full]) + "\n", encoding="utf-8")


def _in_order(app: Sphinx, name: str) -> Iterator[str]:
    """Yield a page and all below it, in the order in which the site shows them."""
    yield name
    for below in app.env.toctree_includes.get(name, ()):
        yield from _in_order(app, below)


def _text(doctree: nodes.document) -> str:
    return re.sub(r"\n{3,}", "\n\n", doctree.astext())


def setup(app: Sphinx) -> dict[str, Any]:
    """Write both files when the pages are done."""
    app.connect("build-finished", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
