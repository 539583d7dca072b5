"""Draw the gallery: ``python -m docs.gallery`` writes docs/gallery.md and docs/gallery/*.png."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from PIL import Image

FOLDER = Path(__file__).parent
_DOTS = 75  # per inch
_LARGEST, _COLOURS = 100_000, 64

_DEMO = """\
import condped

trials = dict(source="condped-demo/results.csv", objective="error", space="condped-demo/space.json")
result = condped.importance(**trials, intervals="half-sampling")
curve = condped.sweep(**trials, intervals="jackknife")
effects = condped.effects(**trials)
summary = condped.summary(**trials)
"""
_PAPER = """\
problem = condped.problems.get("regime-dependent")
table = problem.sample(1000, seed=0)
"""


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture: its file, what it shows, and the expression that draws it."""

    file: str
    title: str
    text: str
    code: str


PICTURES = (
    Picture(
        "importance",
        "Importances",
        "Bars with intervals, thick for each bar by itself and thin for all together. The fill, "
        "the hatching and the verdict beside a bar say whether the "
        "effect is statistically significant. If there are many parameters, the least important "
        "share a bar.",
        "condped.plot.importance(result)",
    ),
    Picture(
        "regimes",
        "By regime",
        "How much each regime contributes to a parameter's importance.",
        "condped.plot.regimes(result)",
    ),
    Picture(
        "densities",
        "Good values",
        "Distribution of the target set within the region set, on the scale of the domain. Green: "
        "good values, marked only if the effect is statistically significant.",
        'condped.plot.densities(result, ["learning_rate", "model", "layers", "seed"])',
    ),
    Picture(
        "slice",
        "Slices",
        "Each trial's value against what it reached, per regime, with the median and its interval "
        "for about equally many trials at a time. Blue: the target set; green: good values.",
        'condped.plot.slice(effects, ["learning_rate", "model", "layers"])',
    ),
    Picture(
        "history",
        "History",
        "What each trial reached, and the best so far; shaded since nothing has improved.",
        "condped.plot.history(summary)",
    ),
    Picture(
        "parallel",
        "Parallel coordinates",
        "Trials as lines over the most important parameters, the objective on the right. What a "
        "trial does not have stands below its axis. Blue: the target set.",
        'condped.plot.parallel(effects, ["learning_rate", "model", "layers"])',
    ),
    Picture(
        "pairs",
        "Pairs",
        "The share of target trials over the values of two parameters, with the test of their "
        "joint effect. Without a choice of pairs those that are statistically significant are "
        "drawn, or the strongest; in grey: no evidence.",
        "condped.plot.pairs(condped.joint_effects(**trials, target_quantile=0.2))",
    ),
    Picture(
        "sweep",
        "Importance by target quantile",
        "What matters for the best 1 % need not matter for the best half. Bands are intervals that "
        "hold for all curves and target quantiles together.",
        "condped.plot.sweep(curve)",
    ),
    Picture(
        "heatmap",
        "Many parameters",
        "The same as a heat map, for up to 40 parameters.",
        "condped.plot.heatmap(curve)",
    ),
    Picture(
        "comparison",
        "Side by side",
        "Methods, studies or target sets. Hollow marks: no statistically significant effect; grey: "
        "no evidence at all.",
        "condped.plot.comparison(\n"
        "    {\n"
        '        "paper": result,\n'
        '        "calibrated": condped.importance(**trials, method="calibrated"),\n'
        '        "best 30 %": condped.importance(**trials, target_quantile=0.3),\n'
        "    }\n"
        ")",
    ),
    Picture(
        "paper-sweep",
        "Against the exact truth",
        "One of the paper's problems: estimates with bands; dotted: the exact importances.",
        'condped.plot.sweep(condped.sweep(table, intervals="half-sampling"), truth=problem)',
    ),
    Picture(
        "paper-importance",
        "The same problem at one quantile",
        "What matters for the best 10 %.",
        'condped.plot.importance(condped.importance(table, intervals="half-sampling"))',
    ),
    Picture(
        "paper-regimes",
        "Its regimes",
        "x has a different domain in each branch.",
        "condped.plot.regimes(condped.importance(table, target_quantile=0.3))",
    ),
    Picture(
        "paper-densities",
        "Its good values",
        "Low values are good in every branch that reaches the target set.",
        "condped.plot.densities(condped.importance(table, target_quantile=0.3))",
    ),
    Picture(
        "paper-joint",
        "Its joint effects",
        "How much each pair of parameters explains beyond what its parameters explain alone. The "
        "colours go on beyond what chance alone reaches.",
        "condped.plot.joint(condped.joint_effects(table))",
    ),
    Picture(
        "paper-across",
        "Several studies",
        "All problems of the paper as if they were studies of one system. Colours are importances; "
        "a parameter without evidence of an effect in a study is grey there, one that the study "
        "does not have is blank, and an odd one is outlined. Studies that are alike stand side by "
        "side. On the right the means with intervals, a diamond where studies differ by more than "
        "chance explains.",
        "condped.plot.across(\n"
        "    condped.across(\n"
        "        {name: condped.problems.get(name).sample(500, seed=0) for name in "
        "condped.problems.names()}\n"
        "    )\n"
        ")",
    ),
)


def page() -> str:
    """Return the page with the code beside each picture."""
    parts = [
        "# Gallery",
        "Every figure that `condped.plot` draws, made by `python -m docs.gallery`. Each function "
        'returns a plotly figure, or a matplotlib figure with `backend="matplotlib"`, as here; '
        "`on=` draws on existing axes or an existing figure. Nothing is shown or saved.",
        f"With the trials of `condped demo`:\n\n```python\n{_DEMO}```",
    ]
    for picture in PICTURES:
        if picture.file == "paper-sweep":
            parts.append(f"With a problem of the paper:\n\n```python\n{_PAPER}```")
        parts.append(
            f"## {picture.title}\n\n{picture.text}\n\n```python\n{picture.code}\n```\n\n"
            f"![{picture.title}](gallery/{picture.file}.png)"
        )
    return "\n\n".join(parts) + "\n"


def figures() -> dict[str, Any]:
    """Run the page's code and return its figures, drawn by matplotlib."""
    with tempfile.TemporaryDirectory() as folder:
        demo = Path(folder) / "condped-demo"
        subprocess.run(
            [sys.executable, "-m", "condped", "demo", "--folder", str(demo)],
            check=True,
            capture_output=True,
        )
        session: dict[str, Any] = {}
        exec(_DEMO.replace("condped-demo", str(demo)) + _PAPER, session)
        return {picture.file: _drawn(picture.code, session) for picture in PICTURES}


def _drawn(code: str, session: dict[str, Any]) -> Any:
    """Evaluate a picture's expression, with matplotlib in place of plotly."""
    function = code.split("(", 1)[0]
    with_matplotlib = code.replace(function, f'partial({function}, backend="matplotlib")', 1)
    return eval(with_matplotlib, session | {"partial": partial})


def main() -> None:
    """Write the pictures and the page."""
    folder = FOLDER / "gallery"
    folder.mkdir(exist_ok=True)
    for name, figure in figures().items():
        path = folder / f"{name}.png"
        figure.savefig(path, dpi=_DOTS)
        if path.stat().st_size > _LARGEST:  # many thin lines: fewer colours do
            Image.open(path).convert("RGB").quantize(_COLOURS).save(path, optimize=True)
    (FOLDER / "gallery.md").write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
