"""Families of studies whose winning branch and odd parameter are known."""

from __future__ import annotations

from typing import Any

import numpy as np

SPACE: dict[str, Any] = {
    "model": {"type": "categorical", "choices": ["svm", "forest", "network"]},
    "C": {"when": "model == 'svm'", "type": "float", "low": 1e-3, "high": 1e3, "log": True},
    "depth": {"when": "model == 'forest'", "type": "int", "low": 1, "high": 20},
    "rate": {"when": "model == 'network'", "type": "float", "low": 1e-5, "high": 1.0, "log": True},
    "dropout": {"type": "float", "low": 0.0, "high": 0.9},
}
OPTIONS: dict[str, Any] = {"objective": "loss", "space": SPACE}


def trials(
    seed: int, winner: str | None, number: int = 200, *, dropout: float = 0.0
) -> list[dict[str, Any]]:
    """Return random trials in which one branch, or none, is better by far."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(number):
        model = str(rng.choice(["svm", "forest", "network"]))
        trial: dict[str, Any] = {"model": model, "dropout": float(rng.uniform(0, 0.9))}
        loss = 0.0 if winner in (model, None) else 1.0
        if model == "svm":
            trial["C"] = float(10 ** rng.uniform(-3, 3))
            loss += 0.1 * abs(np.log10(trial["C"]) - 1) if winner else 0.0
        elif model == "forest":
            trial["depth"] = int(rng.integers(1, 21))
        else:
            trial["rate"] = float(10 ** rng.uniform(-5, 0))
            loss += 0.25 * abs(np.log10(trial["rate"]) + 2.5) if winner else 0.0
        loss += dropout * abs(trial["dropout"] - 0.2)
        found.append(trial | {"loss": loss + 0.1 * float(rng.normal())})
    return found


def family() -> dict[str, list[dict[str, Any]]]:
    """Return four studies: the network wins in three and loses in ``covertype``."""
    winners = {"adult": "network", "cifar": "network", "covertype": "svm", "higgs": "network"}
    return {
        name: trials(seed, winner, dropout=3.0 if name == "cifar" else 0.0)
        for seed, (name, winner) in enumerate(winners.items())
    }
