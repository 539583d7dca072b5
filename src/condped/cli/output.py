"""From a command's options to its result: printed in one form, written into files, and checked."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from operator import methodcaller
from pathlib import Path
from typing import Any

import click

from condped.cli.conditions import EXAMPLES, HELD, UNDECIDED, check, parsed
from condped.cli.github import SUMMARY_FILE, append_summary, summary_file
from condped.cli.options import Command, all_of, given
from condped.cli.tell import is_json, on_terminal, say, say_json, tell
from condped.errors import SettingsError
from condped.interrupts import heeded
from condped.progress import reporting
from condped.safe_text import printable, visible
from condped.writing.endings import ENDINGS, PAGES
from condped.writing.inputs import check_is_no_input, check_output

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


def output_options(
    *, page: str | None = None, conditions: str | None = None
) -> Callable[[Command], Command]:
    """Add the options for output.

    ``page`` is the file that a page is written to by default, ``conditions`` the kind of result
    for ``--fail-if``.
    """
    endings = ", ".join((*PAGES[:1], *ENDINGS) if page else ENDINGS)
    options = (
        click.option("--json", "as_json", is_flag=True, help="Print JSON."),
        click.option("--csv", "as_csv", is_flag=True, help="Print CSV."),
        click.option(
            "--markdown", "as_markdown", is_flag=True,
            help="Print Markdown, as GitHub and GitLab show it.",
        ),
        click.option(
            "--latex", "as_latex", is_flag=True,
            help="Print tables for LaTeX, with array, booktabs and graphicx.",
        ),
        click.option(
            "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), default=page,
            show_default=page is not None, metavar="FILE",
            help=f"Also write a file, in the format that its name ends in: {endings}. An existing "
            "file is replaced.",
        ),
        click.option(
            "--github-summary", "to_summary", is_flag=True,
            help="Also append Markdown to the summary of a GitHub Actions job: to the file in "
            f"${SUMMARY_FILE}.",
        ),
        *((_fail_if(conditions),) if conditions else ()),
    )  # fmt: skip
    return all_of(options)


def _fail_if(kind: str) -> Callable[[Any], Any]:
    return click.option(
        "--fail-if", "fail_if", multiple=True, metavar="CONDITION",
        help=f"End with exit code {HELD} if a condition holds, such as {EXAMPLES[kind]}; with "
        f"{UNDECIDED} if that cannot be decided. Repeatable. All conditions: see 'Continuous "
        "integration' in the documentation.",
    )  # fmt: skip


def answer(
    function: Callable[..., Any],
    *sources: str,
    as_json: bool,
    as_csv: bool,
    as_markdown: bool,
    as_latex: bool,
    to_summary: bool,
    output: Path | None,
    fail_if: tuple[str, ...] = (),
    kind: str = "",
    after: Callable[[Any], None] | None = None,
    show: Callable[[Any], str] | None = None,
    **options: Any,
) -> Any:
    """Call a function with a command's options, and print and write what it returns.

    ``show`` returns the text to print, by default the result's own; ``kind`` is the kind of result
    that conditions are about, by default the function's name; ``after`` is called before they are
    checked.
    """
    forms: list[tuple[Callable[[Any], str] | None, bool]] = [
        (_json, as_json), (_csv, as_csv), (_markdown, as_markdown), (_latex, as_latex), (show, True)
    ]  # fmt: skip
    requested = [form for form, flag in forms if flag and form is not None]
    if len(requested) > 1:
        raise SettingsError(
            "Give only one of --json, --csv, --markdown, --latex and other output formats."
        )
    kind = kind or function.__name__
    conditions = [parsed(text, kind) for text in fail_if]
    summary = summary_file() if to_summary else None
    read = (*sources, options.get("backend"), options.get("space"))
    if output is not None:
        check_output(output, *read, page=kind == "report")
    if summary is not None:
        check_is_no_input(summary, *read)
    with progress_bar(), heeded():  # wiped before the result is printed
        result = function(*sources, **given(options))
        if output is not None:
            result.save(output)
    if requested:
        form_text = requested[0](result).removesuffix("\n")
        is_data = requested[0] is _json or (requested[0] is show and is_json(form_text))
        (say_json if is_data else say)(form_text)
    else:
        say_result(result)
    if output is not None:
        tell(f"Written to {output}.")
    if after is not None:
        after(result)
    checked = check(conditions, result)
    if summary is not None:
        append_summary(summary, result, checked)
    for message in checked.messages:
        tell(f"condped: --fail-if: {message}")
    if checked.code:
        sys.exit(checked.code)
    return result


def _json(result: Any) -> str:
    return json.dumps(result.to_data(), indent=2, ensure_ascii=False, default=str)


_csv, _markdown, _latex = map(methodcaller, ("to_csv", "to_markdown", "to_latex"))


def say_result(result: Any) -> None:
    """Print a result; on a terminal as wide as that, and in colours unless NO_COLOR is set."""
    if not on_terminal():
        say(str(result).removesuffix("\n"))
        return
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    lines = visible(result.to_text(width).removesuffix("\n")).split("\n")
    coloured = lines if os.environ.get("NO_COLOR") else map(_coloured, lines)
    click.echo("\n".join(coloured), color=True)


def _coloured(line: str) -> str:
    def verdict(found: re.Match[str]) -> str:
        return click.style(found[0], **_STYLES[found[0]])

    return _BAR.sub(lambda bar: click.style(bar[0], fg="blue"), _VERDICT.sub(verdict, line))


@contextmanager
def progress_bar() -> Iterator[None]:
    """Show progress on a terminal if work takes more than a second, and wipe it at the end."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    bar = _Bar()
    try:
        with reporting(bar.show):
            yield
    finally:
        bar.clear()


class _Bar:
    """A progress bar on one line of the terminal."""

    def __init__(self) -> None:
        self.started = self.drawn = time.monotonic()
        self.visible = False

    def show(self, what: str, done: float, total: float) -> None:
        """Draw the bar if an update is due."""
        now = time.monotonic()
        if now - self.started < _PATIENCE or now - self.drawn < _BETWEEN:
            return
        share = min(done / total, 1.0)
        filled = "█" * round(share * _BAR_WIDTH)
        plain = printable(what)
        shown = plain if len(plain) <= 40 else f"…{plain[-39:]}"
        click.echo(f"\r\x1b[K{shown} {filled:░<{_BAR_WIDTH}} {share:4.0%}", nl=False, err=True)
        self.drawn, self.visible = now, True

    def clear(self) -> None:
        """Wipe the line, so that the result stands alone."""
        if self.visible:
            click.echo("\r\x1b[K", nl=False, err=True)
