"""All results as one small JSON file: aggregates over seeds, no trial of the data itself."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments.claims.registry import Runs
from experiments.registry import Row
from experiments.yahpo import learners, summary
from experiments.yahpo.folder import ANOTHER_GENERATION

FILE = Path(__file__).with_name("results.json")
SCHEMA = "condped.yahpo/1"
TABLES = {"rbv2": "table-2", "iaml": "table-4"}


def collect(runs: Runs) -> dict[str, Any]:
    """Return the aggregates of the six experiments."""
    figures = [*runs.rows("figure-5"), *runs.rows("figure-15")]
    objectives = [*runs.rows("table-1"), *runs.rows("table-3")]
    tables = {family: runs.rows(name) for family, name in TABLES.items()}
    return {
        "schema": SCHEMA,
        "settings": {
            "target_quantile": learners.TARGET_QUANTILE,
            "region_quantile": learners.REGION_QUANTILE,
            "seeds": summary.seeds(figures),
        },
        "sources": {family: _source(rows) for family, rows in tables.items()},
        "learner_of": summary.learner_of(figures),
        "objectives": {
            "rbv2": summary.plain(summary.objectives(objectives)),
            "iaml": {},  # the paper has no such table for iaml
        },
        "importances": {"rbv2": summary.plain(summary.importances(figures))},
        "correlations": {
            family: summary.plain(summary.correlations(rows)) for family, rows in tables.items()
        },
        "leads": {
            family: {own: summary.plain(summary.leads(rows, own)) for own in learners.OWN}
            for family, rows in tables.items()
        },
        "seconds": {
            family: summary.plain(summary.seconds(rows), 3) for family, rows in tables.items()
        },
    }


def _source(rows: Sequence[Row]) -> dict[str, str]:
    return {
        "scenario": rows[0]["scenario"],
        "label": rows[0].get("label") or ANOTHER_GENERATION,
    }


def save(found: dict[str, Any], path: Path = FILE) -> None:
    """Write the results."""
    path.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def load(path: Path = FILE) -> dict[str, Any]:
    """Read the results."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found
