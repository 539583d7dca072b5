"""``condped watch``: a running study in the terminal."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

import condped
from condped.cli.options import (
    CommandWithoutRepeats,
    Seconds,
    every,
    given,
    source_options,
    target,
    target_quantile,
)
from condped.cli.output import progress_bar
from condped.cli.tell import on_terminal, tell
from condped.interrupts import INTERRUPTED
from condped.live.terminal.run import look_once, show_once
from condped.live.terminal.run import watch as watch_study
from condped.live.terminal.snapshot import Until

_EPILOG = (
    "Exit codes: 0 the condition of --until holds, or success without one; 2 invalid input or "
    f"options; 3 --timeout passed, or --once looked, before the condition held; {INTERRUPTED} "
    "interrupted (Ctrl-C, q)."
)


@click.command("watch", cls=CommandWithoutRepeats, epilog=_EPILOG)
# A study that is watched is looked at repeatedly, and its trials are held in memory.
@source_options(condped.importance, without=("looks", "engine", "backend"))
@target_quantile
@target
@every
@click.option(
    "--until", metavar="CONDITION",
    help="Stop when the verdicts are settled ('settled': more trials are unlikely to change any "
    "of them), or when this many trials have finished (such as 500).",
)  # fmt: skip
@click.option(
    "--timeout", type=Seconds(min=0, min_open=True), metavar="SECONDS",
    help="Stop after this time at the latest.",
)  # fmt: skip
@click.option("--once", is_flag=True, help="Look once, with verdicts, and exit.")
def watch(
    source: str, every: float, until: str | None, timeout: float | None, once: bool, **options: Any
) -> None:
    """Follow a study while it runs: best trial, importances, verdicts, trials still needed.

    The numbers are updated with every finished trial. Verdicts come from scheduled looks, so that
    repeated looking raises no false alarms, and say as of which trial they hold. SOURCE is a file,
    a directory, a pattern or a URL of any tool that `condped sources` lists; it may be unreachable
    for a while. Without a terminal, or with NO_COLOR or TERM=dumb, each update is one plain line.

    \b
    condped watch sqlite:///study.db --study tuning
    condped watch journal.log --until settled --timeout 3600 && echo enough
    condped watch sqlite:///study.db --once --until settled || echo "more trials, please"
    condped watch postgresql://user@host/studies --study tuning --until 500 | tee progress.txt

    For scripts, `condped forecast SOURCE --json` gives verdicts and the trials still needed, once.
    """  # noqa: D301
    condition = None if until is None else Until.parse(until)
    arguments, plain = given(options), _is_plain()
    if once:
        with progress_bar():  # wiped before anything is shown
            snapshot = look_once(source, arguments)
        ended = show_once(snapshot, until=condition, plain=plain, out=sys.stdout)
    else:
        ended = watch_study(
            source, arguments, every=every, until=condition, timeout=timeout, plain=plain
        )
    if ended.message:
        tell(f"condped: {ended.message}")
    if ended.abandoned:
        # Python would end a thread in the middle of compiled code, which may abort the process.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(ended.code)
    sys.exit(ended.code)


def _is_plain() -> bool:
    return not on_terminal() or bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
