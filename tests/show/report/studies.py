"""Studies to report on."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import condped

IMAGE, ENDING = "<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>"
SPACE: dict[str, Any] = {
    "model": {"type": "categorical", "choices": ["svm", "network", "forest"]},
    "C": {"when": "model == 'svm'", "type": "float", "low": 1e-3, "high": 1e3, "log": True},
    "layers": {"when": "model == 'network'", "type": "int", "low": 1, "high": 6},
    "rate": [
        {"when": "model == 'network' and layers < 4", "type": "float", "low": 1e-3, "high": 1.0,
         "log": True},
        {"when": "model == 'network' and layers >= 4", "type": "float", "low": 1e-5, "high": 0.1,
         "log": True},
    ],
    "idle": {"type": "float", "low": -1, "high": 1},
}  # fmt: skip


@cache
def conditional(trials: int = 400) -> condped.TrialTable:
    """Return a model selection; some trials failed."""
    rng = np.random.default_rng(5)
    rows = []
    for number in range(trials):
        model = str(rng.choice(SPACE["model"]["choices"]))
        row: dict[str, Any] = {"idle": rng.uniform(-1, 1), "model": model}
        if model == "svm":
            row["C"] = float(10 ** rng.uniform(-3, 3))
            loss = 0.3 + 0.05 * abs(np.log10(row["C"]))
        elif model == "network":
            row["layers"] = int(rng.integers(1, 7))
            low, high, best = (-3, 0, -1.5) if row["layers"] < 4 else (-5, -1, -3)
            row["rate"] = float(10 ** rng.uniform(low, high))
            loss = 0.1 + 0.1 * (np.log10(row["rate"]) - best) ** 2
        else:
            loss = 0.4
        row["loss"] = loss + rng.normal(0, 0.02)
        row["end"] = "failed" if number % 40 == 0 else "complete"
        rows.append(row)
    return condped.read(rows, objective="loss", space=SPACE, state="end")


@cache
def hostile() -> condped.TrialTable:
    """Return trials whose names and choices try to be markup."""
    rng = np.random.default_rng(1)
    x, choice = rng.uniform(size=300), rng.choice([IMAGE, ENDING, "{{data}}", "\u2028"], 300)
    y = np.where(choice == IMAGE, rng.uniform(size=300), np.nan)
    return condped.read(
        {IMAGE: x, ENDING: choice, "__proto__": rng.uniform(size=300), "<b>&amp;</b>": y,
         "<i>loss": x + (choice == ENDING)},
        objective="<i>loss",
    )  # fmt: skip


@cache
def wide(parameters: int = 60, trials: int = 200) -> condped.TrialTable:
    """Return trials with many parameters, of which two matter."""
    values = np.random.default_rng(2).uniform(size=(trials, parameters))
    columns: dict[str, Any] = {f"p{place:03d}": values[:, place] for place in range(parameters)}
    return condped.read({**columns, "loss": values[:, 7] + values[:, 11] / 2}, objective="loss")


@cache
def failing(trials: int = 400) -> condped.TrialTable:
    """Return trials that fail where x is high or the mode is fast."""
    rng = np.random.default_rng(8)
    x, mode = rng.uniform(size=trials), rng.choice(["slow", "fast", "exact"], trials)
    bad = (x > 0.8) | (mode == "fast") & (rng.uniform(size=trials) < 0.5)
    end = np.where(bad, "failed", "complete")
    loss = np.where(bad, np.nan, x)
    columns = {"x": x, "mode": mode, "loss": loss, "st": end}
    return condped.read(columns, objective="loss", state="st")
