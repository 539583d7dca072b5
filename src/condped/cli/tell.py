"""Command output: unable to control a terminal, and exact where a program reads it."""

from __future__ import annotations

import json
import sys
from contextlib import suppress

import click

from condped.safe_text import visible
from condped.writing.whole_files import encoded


def on_terminal() -> bool:
    """Return whether standard output is a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def say(text: str) -> None:
    """Print a text on standard output."""
    # Verbatim: without color=True, click would cut out what looks like colours.
    click.echo(visible(text) if on_terminal() else encoded(text).decode(), color=True)


def say_json(text: str) -> None:
    """Print JSON on standard output, escaping characters that cannot be shown or encoded."""
    can_stay = _is_visible if on_terminal() else _can_be_encoded
    lines = (
        line if can_stay(line) else "".join(c if can_stay(c) else _json_code(c) for c in line)
        for line in text.split("\n")
    )
    click.echo("\n".join(lines), color=True)


def is_json(text: str) -> bool:
    """Return whether a program would read a text as JSON."""
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def tell(text: str) -> None:
    """Print a message on standard error, if it is open."""
    with suppress(OSError):
        click.echo(visible(text), err=True)


def _is_visible(text: str) -> bool:
    return text.isprintable()


def _can_be_encoded(text: str) -> bool:
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _json_code(letter: str) -> str:
    units = letter.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[place : place + 4]}" for place in range(0, len(units), 4))
