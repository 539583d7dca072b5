"""In which form a result leaves: a text that fits the terminal, JSON, CSV or Parquet."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import click

from condped.errors import SettingsError
from condped.optional import load_optional
from condped.read.overwriting import refuse_overwriting
from condped.show.text.layout import printed_within

_WIDEST = 160
_VERDICT = re.compile(r"(?<=\d  )(matters|unclear|no evidence|untested)(?=  |$)")
_BAR = re.compile(r"█+")
_STYLES: Mapping[str, Mapping[str, Any]] = {
    "matters": {"fg": "green", "bold": True},
    "unclear": {"fg": "yellow"},
    "no evidence": {"dim": True},
    "untested": {"dim": True},
}

FORMS: tuple[Callable[[Any], Any], ...] = (
    click.option("--json", "as_json", is_flag=True, help="Print JSON."),
    click.option("--csv", "as_csv", is_flag=True, help="Print CSV."),
    click.option("--parquet", metavar="FILE", help="Write the rows to a Parquet file."),
)


class Told(Protocol):
    """What every result can be shown as."""

    @property
    def columns(self) -> Sequence[str]:
        """The fields of the rows."""

    def rows(self) -> Sequence[Mapping[str, Any]]:
        """Return flat records."""

    def to_data(self) -> Mapping[str, Any]:
        """Return everything as plain data under a schema with a version."""


@dataclass(frozen=True, slots=True)
class Form:
    """The form that was asked for; text if none was."""

    as_json: bool = False
    as_csv: bool = False
    parquet: str | None = None

    @property
    def text(self) -> bool:
        """Whether people are to read it."""
        return not (self.as_json or self.as_csv or self.parquet)


def form_of(options: dict[str, Any], source: str | None = None) -> Form:
    """Take the form out of a command's options; it must not overwrite what is read."""
    form = Form(options.pop("as_json"), options.pop("as_csv"), options.pop("parquet"))
    if form.as_json + form.as_csv + (form.parquet is not None) > 1:
        raise SettingsError("Give only one of --json, --csv and --parquet.")
    if form.parquet is not None:
        refuse_overwriting(form.parquet, source, options.get("space"))
    return form


def show(told: Told, form: Form) -> None:
    """Print a result, or write it down."""
    if form.as_json:
        click.echo(json.dumps(told.to_data(), indent=2, ensure_ascii=False, default=str))
    elif form.as_csv:
        lines = io.StringIO()
        writer = csv.DictWriter(lines, told.columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(told.rows())
        click.echo(lines.getvalue(), nl=False)
    elif form.parquet is not None:
        module = load_optional(
            "condped.cli.pyarrow_rows", feature="--parquet", library="pyarrow", extra="parquet"
        )
        module.write_rows(form.parquet, told.rows(), told.columns, told.to_data()["schema"])
        click.echo(f"{len(told.rows())} rows are in {form.parquet}.", err=True)
    else:
        terminal = sys.stdout is not None and sys.stdout.isatty()
        click.echo(_for_terminal(told) if terminal else str(told))


def _for_terminal(told: Told) -> str:
    """Return a text as wide as the terminal, in colours unless they are not wanted."""
    with printed_within(min(shutil.get_terminal_size().columns, _WIDEST)):
        lines = str(told).splitlines()
    return "\n".join(lines if os.environ.get("NO_COLOR") else map(_coloured, lines))


def _coloured(line: str) -> str:
    def verdict(found: re.Match[str]) -> str:
        return click.style(found[0], **_STYLES[found[0]])

    return _BAR.sub(lambda bar: click.style(bar[0], fg="blue"), _VERDICT.sub(verdict, line))
