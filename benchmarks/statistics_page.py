"""The measurements of benchmarks.statistics as a page of tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.statistics_exact_page import (
    coverage_lines,
    exact_aims,
    exact_lines,
    pair_lines,
    table,
)
from benchmarks.statistics_power import power_lines


def page(found: Mapping[str, Any]) -> str:
    """Return the page in Markdown."""
    return "\n".join(
        [
            "# Statistical properties",
            "",
            "Measured by `python -m benchmarks.statistics`, all seeds fixed; γ' = 0.1 unless "
            "stated. *Idle* parameters have no effect on the objective.",
            "",
            "## Aims",
            "",
            *_aims(found),
            "",
            "## Against the exact truth",
            "",
            *exact_lines(found),
            "## Intervals",
            "",
            *coverage_lines(found),
            "",
            "## Pairs",
            "",
            *pair_lines(found),
            "",
            "## False positive rate",
            "",
            "Share of p-values below 0.05 if no parameter has an effect, random trials. `ordered` "
            "compares only trials drawn one after the other, ten at a time.",
            "",
            *table(
                tuple(found["false_alarms"][0]),
                [
                    tuple(f"{v:.3f}" if isinstance(v, float) else v for v in row.values())
                    for row in found["false_alarms"]
                ],
            ),
            "",
            f"Idle parameters of studies sampled by TPE (200 trials): "
            f"{found['tpe_alarms']['random']:.3f} with `random`, "
            f"{found['tpe_alarms']['auto']:.3f} with `auto`. Real studies of eleven samplers are "
            "on [a page of their own](verdicts.md).",
            "",
            "## Power",
            "",
            "How often p < 0.05 for `x`, which is this share of the loss, the rest being noise; in "
            "brackets the same for the four idle parameters beside it. Random trials: with "
            '`sampling="random"`, and by default, where condped has to infer how trials were '
            "drawn. "
            "Univariate TPE: by default, which replays it; among ten trials "
            "drawn one after the other; and by an oracle that is told from which density Optuna "
            "drew every value, and compares the good trials with these densities. The oracle "
            "does not see what a replay does: that TPE was drawn towards some values more often "
            f"than chance alone draws it. {found['power'][0]['studies']} studies each.",
            "",
            *power_lines(found["power"]),
            "",
            "## Cost",
            "",
            f"200 half-samples of 30 parameters and 1,000 trials cost as much as "
            f"{found['cost']['intervals_over_plain']:.0f} plain evaluations; a sweep of 99 points "
            f"with bands, 10 parameters and 1,000 trials, takes "
            f"{found['cost']['sweep_with_bands_seconds']:.2f} s.",
            "",
            *_real(found["real_data"]),
        ]
    )  # fmt: skip


def _aims(found: Mapping[str, Any]) -> list[str]:
    alarms = [v for row in found["false_alarms"] for v in row.values() if isinstance(v, float)]
    chance = np.sqrt(0.05 * 0.95 / found["false_alarm_repeats"])
    lines = [
        *exact_aims(found),
        ("false positive rate between 0.03 and 0.07, random",
         all(0.03 <= v <= 0.07 for v in alarms),
         f"{min(alarms):.3f}–{max(alarms):.3f} over {len(alarms)} cells, each "
         f"±{chance:.3f} by chance"),
        ("false positive rate at most 0.08, TPE", found["tpe_alarms"]["auto"] <= 0.08,
         f"{found['tpe_alarms']['auto']:.3f}"),
        ("intervals cost less than 30 plain evaluations",
         found["cost"]["intervals_over_plain"] < 30,
         f"{found['cost']['intervals_over_plain']:.0f}"),
        ("a sweep with bands in less than 2 s", found["cost"]["sweep_with_bands_seconds"] < 2,
         f"{found['cost']['sweep_with_bands_seconds']:.2f} s"),
    ]  # fmt: skip
    return table(
        ("aim", "reached", "measured"),
        [(aim, "yes" if reached else "no", told) for aim, reached, told in lines],
    )


def _real(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    if not rows:
        return []
    return [
        "## Real data",
        "",
        "YAHPO tables from another surrogate generation than the paper's: 10 seeds of 1,000 random "
        "configurations each. Mean Kendall τ between the rankings of two seeds, and the number of "
        "parameters with a statistically significant effect in all seeds and in any.",
        "",
        *table(
            ("instance", "paper", "calibrated", "significant in all", "in any"),
            [
                (r["instance"], f"{r['paper']:.2f}", f"{r['calibrated']:.2f}", r["always"],
                 r["ever"])
                for r in rows
            ],
        ),
        "",
    ]  # fmt: skip
