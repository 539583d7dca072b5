"""Commands about several studies."""

from __future__ import annotations

from collections.abc import Sequence
from operator import methodcaller
from pathlib import Path
from typing import Any

import click

import condped
from condped.cli.completion import files
from condped.cli.options import CommandWithoutRepeats, source_options, target_quantile
from condped.cli.output import answer, output_options, progress_bar
from condped.cli.tell import tell
from condped.errors import SettingsError
from condped.live.names import check_names, split_name
from condped.writing.endings import check_page
from condped.writing.inputs import check_output

_studies_options = source_options(
    condped.across,
    click.argument(
        "sources", nargs=-1, required=True, metavar="[NAME=]SOURCE...", shell_complete=files
    ),
    repeatable={
        "study": "Studies of a storage, by names or patterns such as 'xgb-*'; all if not given; "
        "repeatable."
    },
)


@click.command("across", cls=CommandWithoutRepeats)
@_studies_options
@target_quantile
@click.option(
    "--report", "page", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="Also write everything to one HTML page that works offline.",
)  # fmt: skip
@click.option(
    "--reports", "folder", type=click.Path(file_okay=False, path_type=Path), metavar="FOLDER",
    help="Write the report of each study to a folder; the page links to them.",
)  # fmt: skip
@click.option("--title", metavar="TEXT", help="Title of the page.")
@output_options(conditions="across")
def across(
    sources: tuple[str, ...],
    page: Path | None,
    folder: Path | None,
    title: str | None,
    **options: Any,
) -> None:
    """Compare several studies: what matters in all of them, and where they differ.

    Each SOURCE is a file, a directory, a pattern or a URL of any tool that `condped sources` lists;
    NAME=SOURCE gives it a name. One SOURCE may hold several studies: an Optuna storage, an MLflow
    store, a directory or pattern, or a table with --study-column. The options apply to all studies.

    \b
    condped across adult=runs/adult.csv higgs=runs/higgs.csv --objective loss
    condped across sqlite:///study.db --study 'xgb-*' --report across.html --reports reports
    condped across sqlite:///study.db --study xgb-adult --study xgb-higgs
    condped across archive.parquet --objective loss --study-column dataset --csv > rows.csv
    """  # noqa: D301
    if page is None and (folder is not None or title is not None):
        raise SettingsError("--reports and --title apply to the page. Add --report FILE.")
    studies, places = _studies(sources)
    if page is not None:
        check_page(page)
        check_output(page, *places, options.get("backend"), options.get("space"), page=True)

    def compared(*_: str, **given: Any) -> condped.Across:
        return condped.across(studies, **given)

    def written(result: condped.Across) -> None:
        if page is not None:
            with progress_bar():
                result.report(page, title=title, reports=folder)
            tell(f"Written to {page}.")

    answer(compared, *places, kind="across", after=written, **options)


@click.command("start", cls=CommandWithoutRepeats)
@_studies_options
@target_quantile
@click.option(
    "--risk", type=float, metavar="SHARE",
    help="Maximum chance that the best trial of the next study lies outside the space.  [default: "
        "0.1]",
)  # fmt: skip
@click.option(
    "--starts", "number", type=int, metavar="NUMBER",
    help="Choose this many configurations to try first, instead of a narrower space; with --risk, "
    "inside that space.",
)  # fmt: skip
@click.option(
    "--code", "tool", type=click.Choice(["optuna", "configspace", "ray", "hyperopt", "json"]),
    help="Print only the code for a tool, or plain JSON; for SMAC, use configspace.",
)  # fmt: skip
@output_options()
def start(
    sources: tuple[str, ...],
    risk: float | None,
    number: int | None,
    tool: str | None,
    **options: Any,
) -> None:
    """Suggest where to start next time: a narrower space, or configurations to try first.

    Past studies are given as for `condped across`. The space comes with its risk; with too few
    studies for it, and always with fewer than three, nothing is narrowed. Configurations to try
    first are chosen from the whole space or, with --risk, from the space of that risk.

    \b
    condped start 'runs/*.csv' --objective loss --risk 0.25
    condped start sqlite:///study.db --study 'xgb-*' --code optuna > suggest.py
    condped start sqlite:///study.db --study 'xgb-*' --starts 10 --risk 0.1 --code optuna
    condped start sqlite:///study.db --study 'xgb-*' --starts 10 --code json > starts.json
    """  # noqa: D301
    if number is not None and tool == "hyperopt":
        raise SettingsError("Configurations to try first are not written as code for Hyperopt.")
    studies, places = _studies(sources)

    def started(*_: str, **given: Any) -> condped.StartSpace | condped.Starts:
        past = condped.across(studies, **given)
        if number is None:
            return past.space(0.1 if risk is None else risk)
        return past.starts(number, None if risk is None else past.space(risk))

    plain = "space_json" if number is None else "to_json"
    method = plain if tool == "json" else f"{tool}_code"
    answer(
        started, *places, show=None if tool is None else methodcaller(method),
        after=None if tool is None else _remark, **options,
    )  # fmt: skip


def _remark(result: condped.StartSpace | condped.Starts) -> None:
    """Say if the code that was printed is that of the whole space."""
    if isinstance(result, condped.StartSpace) and not result.changes:
        why = "" if result.too_few is None else f" {result.too_few}"
        tell(f"Nothing is narrowed, so this is the code of the whole space.{why}")


@click.command("diff", cls=CommandWithoutRepeats)
@source_options(
    condped.difference,
    click.argument("a", metavar="BEFORE", shell_complete=files),
    click.argument("b", required=False, metavar="[AFTER]", shell_complete=files),
    repeatable={
        "study": "Study to use if a source holds several; given twice, that of BEFORE and that of "
        "AFTER."
    },
)
@target_quantile
@click.option(
    "--cutoff", type=click.Choice(["own", "common"]), default="own", show_default=True,
    help="Target set of each study: the best of its own trials, or its trials among the best of "
        "both studies.",
)  # fmt: skip
@output_options(conditions="difference")
def diff(a: str, b: str | None, **options: Any) -> None:
    """Compare two studies: which branch wins, and what matters more or less than before.

    BEFORE and AFTER are files, directories, patterns or URLs of any tool that `condped sources`
    lists; without AFTER, two studies of BEFORE are compared, which --study names. All other options
    are the same for both.

    \b
    condped diff version-1.csv version-2.csv --objective loss
    condped diff sqlite:///before.db sqlite:///after.db --study tuning --json
    condped diff sqlite:///study.db --study version-1 --study version-2
    """  # noqa: D301
    if b is None and len(options["study"]) != 2:
        raise SettingsError(
            "condped diff compares two studies: give AFTER as well, or --study twice for two "
            "studies of one source."
        )
    answer(condped.difference, a, *(() if b is None else (b,)), **options)


@click.command("studies", cls=CommandWithoutRepeats)
@source_options(
    condped.studies,
    repeatable={
        "study": "Studies to list, by names or patterns such as 'xgb-*'; all if not given; "
        "repeatable."
    },
)
@output_options()
def studies(source: str, **options: Any) -> None:
    """List the studies of a source: trials, best value, when the last trial ended.

    SOURCE is a file, a directory, a pattern or a URL of any tool that `condped sources` lists. The
    trials of a storage are counted, not read.

    \b
    condped studies sqlite:///study.db
    condped studies journal.log --study 'xgb-*' --json
    """  # noqa: D301
    answer(condped.studies, source, **options)


def _studies(sources: Sequence[str]) -> tuple[Any, list[str]]:
    """Return the sources as the functions take them, and their locations."""
    pairs = [split_name(source) for source in sources]
    places = [place for _, place in pairs]
    names = [name for name, _ in pairs if name is not None]
    if names and len(names) < len(pairs):
        unnamed = next(place for name, place in pairs if name is None)
        raise SettingsError(
            f"Name every source or none: {unnamed!r} has no name. Write NAME={unnamed}."
        )
    check_names(names)
    if names:
        return dict(zip(names, places, strict=True)), places
    # A single source may hold several studies.
    return (places[0] if len(places) == 1 else places), places
