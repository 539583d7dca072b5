"""Commands by their names, and help texts as reStructuredText: examples as code, stars as stars."""

from __future__ import annotations

import re
from typing import Any

import click
from sphinx.application import Sphinx

from condped.cli.app import app as condped_app


def __getattr__(name: str) -> click.Command:
    """Return a command, for ``.. click:: commands:importance``."""
    try:
        return condped_app.commands[name]
    except KeyError:
        raise AttributeError(name) from None


def _escape(lines: list[str]) -> None:
    """Show what stands in backticks as code, and stars as they are."""
    for number, line in enumerate(lines):
        marked = re.sub(r"(?<![:`\\])`([^`<>]+)`(?!`)", r"``\1``", line)
        parts = re.split(r"(``[^`]*``|\.\. \w+::.*|:\w+:.*)", marked)
        lines[number] = "".join(
            part if part.startswith(("``", ".. ", ":")) else part.replace("*", "\\*")
            for part in parts
        )


def _description(_app: Sphinx, _context: click.Context, lines: list[str]) -> None:
    """Turn the lines of examples, which click keeps as they are, into a block of code."""
    examples = [line.removeprefix("|").strip() for line in lines if line.startswith("|")]
    texts = [line for line in lines if not line.startswith("|")]
    _escape(texts)
    code = ["", ".. code-block:: sh", "", *(f"   {line}" for line in examples if line), ""]
    lines[:] = [*texts, *(code if examples else [])]


def _plain(_app: Sphinx, _context: click.Context, lines: list[str]) -> None:
    _escape(lines)


def setup(app: Sphinx) -> dict[str, Any]:
    """Listen to what sphinx-click makes of commands."""
    app.connect("sphinx-click-process-description", _description)
    app.connect("sphinx-click-process-epilog", _plain)
    app.connect("sphinx-click-process-options", _plain)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
