"""From a command's options to its result: printed for people, as JSON or CSV, and into a file."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import reduce
from pathlib import Path
from typing import Any

import click

from condped.cli.options import Command, given
from condped.errors import SettingsError
from condped.progress import reporting
from condped.writing import ENDINGS, PAGES, check_output

_WIDEST = 160
_PATIENCE = 1.0  # seconds before anything is shown
_BETWEEN = 0.1  # seconds from one drawing to the next
_BAR_WIDTH = 30
# After a number, or after a number and an empty column of seven letters.
_VERDICT = re.compile(
    r"(?:(?<=\d  )|(?<=\d {11}))(matters|unclear|no evidence|not testable)(?=  |$)"
)
_BAR = re.compile(r"█+")
_STYLES: Mapping[str, Mapping[str, Any]] = {
    "matters": {"fg": "green", "bold": True},
    "unclear": {"fg": "yellow"},
    "no evidence": {"dim": True},
    "not testable": {"dim": True},
}


def output_options(*, page: str | None = None) -> Callable[[Command], Command]:
    """Add the forms of output; ``page`` is the file that a page is written into by default."""
    endings = ", ".join((*PAGES[:1], *ENDINGS) if page else ENDINGS)
    options = (
        click.option("--json", "as_json", is_flag=True, help="Print JSON."),
        click.option("--csv", "as_csv", is_flag=True, help="Print CSV."),
        click.option(
            "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), default=page,
            show_default=page is not None, metavar="FILE",
            help=f"Write a file, too, in the form that its name ends in: {endings}. One that is "
            "there is replaced.",
        ),
    )  # fmt: skip
    return lambda command: reduce(lambda done, option: option(done), reversed(options), command)


def answer(
    function: Callable[..., Any],
    *sources: str,
    as_json: bool,
    as_csv: bool,
    output: Path | None,
    show: Callable[[Any], str] | None = None,
    **options: Any,
) -> Any:
    """Call a function with a command's options, and print and write what it returns.

    ``show`` makes the text that people read, if it is another one than the result's own.
    """
    if as_json + as_csv + (show is not None) > 1:
        raise SettingsError("Give only one of --json, --csv and other forms to print.")
    if output is not None:
        page = function.__name__ == "report"
        check_output(output, *sources, options.get("space"), page=page)
    with progress_bar():  # wiped before the result is printed
        result = function(*sources, **given(options))
        if output is not None:
            result.save(output)
    if as_json:
        click.echo(json.dumps(result.to_data(), indent=2, ensure_ascii=False, default=str))
    elif as_csv:
        click.echo(result.to_csv(), nl=False)
    elif show is not None:
        click.echo(show(result))
    else:
        terminal = sys.stdout is not None and sys.stdout.isatty()
        click.echo(_for_terminal(result) if terminal else str(result))
    if output is not None:
        click.echo(f"Written to {output}.", err=True)
    return result


def _for_terminal(result: Any) -> str:
    """Return a text as wide as the terminal, in colours unless they are not wanted."""
    lines = result.to_text(min(shutil.get_terminal_size().columns, _WIDEST)).splitlines()
    return "\n".join(lines if os.environ.get("NO_COLOR") else map(_coloured, lines))


def _coloured(line: str) -> str:
    def verdict(found: re.Match[str]) -> str:
        return click.style(found[0], **_STYLES[found[0]])

    return _BAR.sub(lambda bar: click.style(bar[0], fg="blue"), _VERDICT.sub(verdict, line))


@contextmanager
def progress_bar() -> Iterator[None]:
    """Show how far work of more than a second has come, on a terminal; leave no trace of it."""
    if not sys.stderr.isatty():
        yield
        return
    bar = _Bar()
    try:
        with reporting(bar.show):
            yield
    finally:
        bar.clear()


class _Bar:
    """One line of the terminal, drawn over again."""

    def __init__(self) -> None:
        self.started = self.drawn = time.monotonic()
        self.visible = False

    def show(self, what: str, done: float, total: float) -> None:
        """Draw the bar if it is time to."""
        now = time.monotonic()
        if now - self.started < _PATIENCE or now - self.drawn < _BETWEEN:
            return
        share = min(done / total, 1.0)
        filled = "█" * round(share * _BAR_WIDTH)
        shown = what if len(what) <= 40 else f"…{what[-39:]}"
        click.echo(f"\r\x1b[K{shown} {filled:░<{_BAR_WIDTH}} {share:4.0%}", nl=False, err=True)
        self.drawn, self.visible = now, True

    def clear(self) -> None:
        """Wipe the line, so that the result stands alone."""
        if self.visible:
            click.echo("\r\x1b[K", nl=False, err=True)
