"""``condped demo``: a model selection with conditions, from trials to a table and a picture."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path
from textwrap import fill
from typing import Any

import click
import numpy as np

import condped
from condped.cli.options import CommandWithoutRepeats
from condped.cli.output import say_result
from condped.cli.tell import on_terminal, say
from condped.errors import MissingLibraryError
from condped.writing.whole_files import whole_file, write_text

_SPACE: dict[str, Any] = {
    "model": {"type": "categorical", "choices": ["svm", "forest", "network"]},
    "C": {"when": "model == 'svm'", "type": "float", "low": 1e-3, "high": 1e3, "log": True},
    "kernel": {"when": "model == 'svm'", "type": "categorical", "choices": ["rbf", "linear"]},
    "gamma": {
        "when": "model == 'svm' and kernel == 'rbf'",
        "type": "float",
        "low": 1e-4,
        "high": 10.0,
        "log": True,
    },
    "trees": {"when": "model == 'forest'", "type": "int", "low": 10, "high": 1000, "log": True},
    "depth": {"when": "model == 'forest'", "type": "int", "low": 1, "high": 20},
    "layers": {"when": "model == 'network'", "type": "int", "low": 1, "high": 6},
    "learning_rate": [
        {"when": "model == 'network' and layers < 4", "type": "float", "low": 1e-3, "high": 1.0,
         "log": True},
        {"when": "model == 'network' and layers >= 4", "type": "float", "low": 1e-5, "high": 0.1,
         "log": True},
    ],
    "seed": {"type": "int", "low": 0, "high": 99},
}  # fmt: skip


@click.command("demo", cls=CommandWithoutRepeats)
@click.option("-n", "--trials", type=click.IntRange(min=1), default=1000, show_default=True)
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    default="condped-demo",
    show_default=True,
    help="Where to write the trials, the space and the picture.",
)
def demo(trials: int, folder: Path) -> None:
    """Tune three synthetic models and show what mattered.

    Writes the trials (CSV) and their space (JSON), analyses them like any other file, and draws a
    picture.
    """
    folder.mkdir(parents=True, exist_ok=True)
    results, space, picture = (
        folder / name for name in ("results.csv", "space.json", "importance.png")
    )
    _write_trials(results, trials)
    write_text(json.dumps(_SPACE, indent=2), space)

    _explain(
        f"{trials} trials of a made-up model selection: 'model' chooses svm, forest or network, "
        "and each has parameters of its own. In truth the network is best, its learning rate "
        "decides, and 'seed' does nothing. What does the analysis say?"
    )
    command_line = shlex.join(
        ["condped", "importance", str(results), "--objective", "error", "--space", str(space)]
    )
    say(f"$ {command_line}\n")
    result = condped.importance(str(results), objective="error", space=space)
    say_result(result)
    click.echo()
    _explain(
        "importance: share of what all parameters explain; sums to 1 with what is unattributed.",
        "η²: how much of 'reaches the best trials or not' this parameter explains by itself.",
        "verdict: whether its effect is statistically significant; not testable if, for example, "
        "none of its trials is among the best.",
        "active as: the values it may take, and in how many trials; absent elsewhere.",
    )
    curve = condped.sweep(str(results), objective="error", space=space)
    try:
        figure = condped.plot.importance(result, backend="matplotlib")
    except MissingLibraryError as error:
        say(f"No picture: {error}")
        return
    figure.clear()  # a figure without a window, for both pictures
    figure.set_size_inches(9.0, 7.5)
    above, below = figure.subplots(2, 1)
    condped.plot.importance(result, backend="matplotlib", on=above)
    condped.plot.sweep(curve, backend="matplotlib", on=below)
    with whole_file(picture) as file:
        figure.savefig(file, format="png", dpi=120)
    say(f"The picture is in {picture}, the trials in {results}.")


def _explain(*paragraphs: str) -> None:
    """Print paragraphs, in 100 columns or the width of the terminal, and an empty line."""
    width = min(shutil.get_terminal_size().columns, 100) if on_terminal() else 100
    for text in paragraphs:
        click.echo(fill(text, width, subsequent_indent="  " if len(paragraphs) > 1 else ""))
    click.echo()


def _write_trials(path: Path, trials: int) -> None:
    rng = np.random.default_rng(0)
    names = ["error", *_SPACE]
    lines = [",".join(names)]
    for _ in range(trials):
        trial = _trial(rng)
        lines.append(",".join(str(trial.get(name, "")) for name in names))
    write_text("\n".join(lines) + "\n", path)


def _trial(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a configuration and its error."""

    def log_uniform(low: float, high: float) -> float:
        return float(np.exp(rng.uniform(np.log(low), np.log(high))))

    trial: dict[str, Any] = {"seed": int(rng.integers(0, 100))}
    trial["model"] = model = str(rng.choice(["svm", "forest", "network"]))
    if model == "svm":
        trial["C"] = log_uniform(1e-3, 1e3)
        trial["kernel"] = str(rng.choice(["rbf", "linear"]))
        error = 0.20 + 0.02 * abs(np.log10(trial["C"]))
        if trial["kernel"] == "rbf":
            trial["gamma"] = log_uniform(1e-4, 10.0)
            error += 0.03 * abs(np.log10(trial["gamma"]) + 1.5) - 0.03
    elif model == "forest":
        trial["trees"] = int(log_uniform(10, 1001))
        trial["depth"] = int(rng.integers(1, 21))
        error = 0.16 + 0.1 / trial["depth"] + 0.01 * (3 - np.log10(trial["trees"]))
    else:
        trial["layers"] = layers = int(rng.integers(1, 7))
        low, high, best = (1e-3, 1.0, -1.5) if layers < 4 else (1e-5, 0.1, -3.0)
        trial["learning_rate"] = log_uniform(low, high)
        miss = np.log10(trial["learning_rate"]) - best
        error = 0.10 + 0.05 * miss**2 + 0.004 * (6 - layers)
    trial["error"] = float(error + rng.normal(0, 0.005))
    return trial
