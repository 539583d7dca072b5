"""The application: its commands, its version, and how errors end."""

from __future__ import annotations

import sys
from io import StringIO
from operator import methodcaller
from typing import Any

import click

import condped
from condped.cli.completion import completion, names
from condped.cli.conditions import HELD, UNDECIDED
from condped.cli.demo import demo
from condped.cli.mcp import mcp
from condped.cli.options import CommandWithoutRepeats, source_options, target, target_quantile
from condped.cli.output import answer, output_options
from condped.cli.serve import serve
from condped.cli.studies import across, diff, start, studies
from condped.cli.tell import tell
from condped.cli.watch import watch
from condped.errors import CondpedError, SettingsError
from condped.interrupts import INTERRUPTED, end_command, raise_interrupts, repeated


class _App(click.Group):
    command_class = CommandWithoutRepeats


@click.group(
    cls=_App,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 success, even if the result is undetermined; 2 invalid input or "
    f"options; {HELD} a condition of --fail-if holds; {UNDECIDED} none holds, but one could not "
    f"be decided; {INTERRUPTED} interrupted. For forms of output and their fields, see 'Forms of "
    "output' in the documentation.",
)
@click.version_option(condped.__version__, prog_name="condped", message="%(prog)s %(version)s")
def app() -> None:
    """Show which hyperparameters mattered, for conditional search spaces."""


@app.command("importance")
@source_options(condped.importance)
@target_quantile
@target
@output_options(conditions="importance")
def _importance(source: str, **options: Any) -> None:
    """Estimate which parameters mattered for reaching the best trials.

    SOURCE is a file, a directory, a pattern or a URL of any tool that `condped sources` lists. In
    tables there is one row per trial, and an empty cell means that the parameter was inactive.

    \b
    condped importance results.csv --objective loss
    condped importance sqlite:///study.db --study tuning
    condped importance smac3_output/svm
    condped importance 'runs/*.parquet' --objective accuracy -d maximize --space space.json --json
    """  # noqa: D301
    answer(condped.importance, source, **options)


@app.command("sweep")
@source_options(condped.sweep)
@output_options()
def _sweep(source: str, **options: Any) -> None:
    """Show how the importances change with the target quantile, from 0.01 up.

    SOURCE is a file, a directory, a pattern or a URL of any tool that `condped sources` lists. In
    tables there is one row per trial, and an empty cell means that the parameter was inactive.

    \b
    condped sweep sqlite:///study.db --study tuning
    condped sweep results.csv --objective loss --space space.json
    condped sweep results.csv --objective loss --csv > curves.csv
    """  # noqa: D301
    answer(condped.sweep, source, **options)


@app.command("compare")
@source_options(condped.compare)
@target_quantile
@click.option(
    "-m",
    "--method",
    "methods",
    multiple=True,
    metavar="NAME",
    shell_complete=names("paper", "calibrated", "ped-anova", "f-anova", "mdi", "shap"),
    help="Use only this method; repeatable: paper, calibrated, ped-anova, f-anova, mdi, shap, or "
    "one of the last four with /filtering or /imputation.  [default: all]",
)
@output_options()
def _compare(source: str, **options: Any) -> None:
    """Compare with the importances of other methods.

    SOURCE is a file, a directory, a pattern or a URL of any tool that `condped sources` lists.
    condped's own methods are shown beside PED-ANOVA, f-ANOVA, MDI and SHAP, which cannot handle
    conditions: where a parameter is absent they get fewer trials (filtering) or imputed values
    (imputation).

    \b
    condped compare sqlite:///study.db --study tuning
    condped compare results.csv --objective loss --space space.json
    condped compare results.csv --objective loss --method paper --method shap/imputation --csv
    """  # noqa: D301
    answer(condped.compare, source, **options)


@app.command("branches")
@source_options(condped.branches)
@target_quantile
@output_options()
def _branches(source: str, **options: Any) -> None:
    """Show the conditional structure and what matters inside each branch.

    Conditions are taken from the space where there is one, and inferred from the trials otherwise.
    SOURCE is a file, a directory, a pattern or a URL of any tool that `condped sources` lists.

    \b
    condped branches results.csv --objective loss
    condped branches sqlite:///study.db --study tuning
    condped branches results.csv --objective loss --where "model == 'svm'" --json
    """  # noqa: D301
    answer(condped.branches, source, **options)


@app.command("effects")
@source_options(condped.effects)
@target_quantile
@click.option(
    "--level",
    type=float,
    default=0.9,
    show_default=True,
    help="Confidence level of the intervals of medians.",
)
@output_options(conditions="effects")
def _effects(source: str, **options: Any) -> None:
    """Show how the values of each parameter performed, in units of the objective.

    Medians with intervals, best results and shares of the best trials by value, and good values
    compared with all others. SOURCE is a file, a directory, a pattern or a URL of any tool that
    `condped sources` lists.

    \b
    condped effects sqlite:///study.db --study tuning
    condped effects results.csv --objective loss --csv > effects.csv
    """  # noqa: D301
    answer(condped.effects, source, **options)


@app.command("summary")
@source_options(condped.summary)
@output_options(conditions="summary")
def _summary(source: str, **options: Any) -> None:
    """Show the study at a glance: best trial, history, how trials ended, how long they took.

    SOURCE is a file, a directory, a pattern or a URL of any tool that `condped sources` lists.

    \b
    condped summary sqlite:///study.db --study tuning
    condped summary results.csv --objective loss --csv > history.csv
    """  # noqa: D301
    answer(condped.summary, source, **options)


@app.command("forecast")
@source_options(condped.forecast)
@target_quantile
@output_options(conditions="forecast")
def _forecast(source: str, **options: Any) -> None:
    """Say whether there are enough trials, and about how many more would settle open verdicts.

    Verdicts hold however often a running study is looked at. SOURCE is a file, a directory, a
    pattern or a URL of any tool that `condped sources` lists.

    \b
    condped forecast sqlite:///study.db --study tuning
    condped forecast results.csv --objective loss --json
    """  # noqa: D301
    answer(condped.forecast, source, **options)


@app.command("advise")
@source_options(condped.advise)
@target_quantile
@click.option(
    "--explore",
    type=float,
    default=0.2,
    show_default=True,
    help="Share of the new trials to draw from the old space.",
)
@click.option(
    "--code",
    "tool",
    type=click.Choice(["optuna", "configspace", "ray", "hyperopt"]),
    help="Print only the code for a tool; for SMAC, use configspace.",
)
@click.option("--optuna", "as_code", is_flag=True, help="The same as --code optuna.")
@click.option("--new-space", "as_space", is_flag=True, help="Print only the new space, as JSON.")
@output_options()
def _advise(source: str, tool: str | None, as_code: bool, as_space: bool, **options: Any) -> None:
    """Suggest a narrower search space, and point out bounds that are too tight.

    Conservative: parameters without evidence of an effect are left alone. SOURCE is a file, a
    directory, a pattern or a URL of any tool that `condped sources` lists.

    \b
    condped advise results.csv --objective loss --space space.json
    condped advise sqlite:///study.db --study tuning --code optuna
    condped advise results.csv --objective loss --new-space > space.json
    """  # noqa: D301
    if (tool is not None) + as_code + as_space > 1:
        raise SettingsError("Give only one of --code, --optuna and --new-space.")
    written = "optuna" if as_code else tool
    show = None if written is None else methodcaller(f"{written}_code")
    answer(condped.advise, source, show=methodcaller("space_json") if as_space else show, **options)


@app.command("joint")
@source_options(condped.joint_effects)
@target_quantile
@output_options()
def _joint(source: str, **options: Any) -> None:
    """Find pairs of parameters whose joint effect exceeds what each does alone.

    SOURCE is a file, a directory, a pattern or a URL of any tool that `condped sources` lists.

    \b
    condped joint results.csv --objective loss
    condped joint sqlite:///study.db --study tuning -q 0.25
    """  # noqa: D301
    answer(condped.joint_effects, source, **options)


@app.command("report")
@source_options(condped.report)
@target_quantile
@target
@click.option("--title", metavar="TEXT", help="Title of the page.  [default: the source's name]")
@click.option(
    "--verdicts/--no-verdicts",
    default=True,
    help="Whether to test for verdicts; without them the page is ready at once.  [default: with "
    "verdicts]",
)
@output_options(page="condped-report.html", conditions="report")
def _report(source: str, **options: Any) -> None:
    """Write a report of a study as one HTML page.

    The page is one file that works offline, for example from a folder or an e-mail. A slider on it
    sets the share of trials that counts as good. SOURCE is a file, a directory, a pattern or a URL
    of any tool that `condped sources` lists.

    \b
    condped report sqlite:///study.db --study tuning -o report.html
    condped report results.csv --objective loss --space space.json -o report.html
    condped report results.csv --objective loss --intervals half-sampling
    condped report smac3_output/svm --target failed -o failures.html
    """  # noqa: D301
    answer(condped.report, source, **options)


@app.command("budgets")
@source_options(condped.budgets)
@click.option("--budget-column", metavar="COLUMN", help="The table's budget column.")
@click.option(
    "-q",
    "--target-quantile",
    type=float,
    default=0.1,
    show_default=True,
    help="Share of best configurations to look for at lower budgets.",
)
@click.option(
    "--level", type=float, default=0.9, show_default=True,
    help="Confidence level of the intervals.",
)  # fmt: skip
@output_options()
def _budgets(source: str, **options: Any) -> None:
    """Compare how low and high budgets rank configurations.

    SOURCE is a run with budgets of SMAC, hpbandster, Ray Tune, Syne Tune, Keras Tuner's Hyperband
    or a halving search of scikit-learn (its `cv_results_`), an Optuna study whose trials report
    intermediate values, or a table with one row per configuration and budget.

    \b
    condped budgets smac3_output/hyperband
    condped budgets sqlite:///study.db --study pruned
    condped budgets results.csv --objective loss --budget-column epochs
    """  # noqa: D301
    answer(condped.budgets, source, **options)


@app.command("sources")
@output_options()
def _sources(**options: Any) -> None:
    """List what can be read, and which extra each needs.

    Sources are recognised automatically; --reader NAME is for those that are not.
    """
    for problem in answer(condped.sources, **options).problems:
        tell(f"condped: {problem}")


app.add_command(across)
app.add_command(completion)
app.add_command(demo)
app.add_command(mcp)
app.add_command(diff)
app.add_command(serve)
app.add_command(start)
app.add_command(watch)
app.add_command(studies)


def main() -> None:
    """Run the command line; user errors end in one line and exit code 2."""
    quiet = False
    try:
        quiet = raise_interrupts()
        with repeated():
            code = _run()
    except KeyboardInterrupt:
        tell("condped: Interrupted.")
        code = INTERRUPTED
    finally:
        if quiet:
            end_command()
    sys.exit(code)


def _run() -> int:
    # Tables hold characters such as η² and █, which not every console's encoding has.
    for stream in filter(None, (sys.stdout, sys.stderr)):
        stream.reconfigure(errors="replace")
    try:
        code = app(prog_name="condped", standalone_mode=False)
    except click.Abort:
        raise KeyboardInterrupt from None
    except click.ClickException as error:
        shown = StringIO()
        error.show(shown)
        tell(shown.getvalue().rstrip("\n"))
        return error.exit_code
    except CondpedError as error:
        tell(f"condped: {error}")
        return 2
    except OSError as error:
        # A full disk, a folder that cannot be made. (click itself ends quietly on a closed pipe.)
        where = f" {error.filename!r}" if error.filename else ""
        tell(f"condped: cannot read or write{where or ' a file'}: {error.strerror or error}.")
        return 2
    return code if isinstance(code, int) else 0
