"""Checking all claims, and keeping what was found as plain data."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, get_args

from condped.errors import DataError
from experiments.claims.registry import Basis, Claim, Finding, Runs
from experiments.registry import Row
from experiments.store import Store, versions

VERDICTS = ("holds", "holds partly", "does not hold")
BASES = get_args(Basis)
ROOT = Path(__file__).parents[2]


class CachedRuns:
    """The rows of a store, each experiment read once."""

    def __init__(self, store: Store) -> None:
        self.rows: Callable[[str], list[Row]] = cache(store.rows)


def check_all(
    claims: Sequence[Claim], store: Store, step: Callable[[int, int, str], None]
) -> dict[str, Any]:
    """Return what every check found, as plain data; claims about missing runs are named."""
    runs: Runs = CachedRuns(store)
    found, missing = [], []
    for done, claim in enumerate(claims, start=1):
        try:
            finding = claim.check(runs)
        except DataError as error:
            missing.append(
                {
                    "name": claim.name,
                    "statement": claim.statement,
                    "place": claim.place,
                    "reason": str(error),
                }
            )
        except Exception as error:
            error.add_note(f"while checking the claim {claim.name!r}")
            raise
        else:
            found.append(_record(claim, finding))
        step(done, len(claims), claim.name)
    return {
        "quick": store.quick,
        "versions": versions(),  # of the checks; those of the runs are on the page of figures
        "counts": {
            **_counts(found),
            "not checked": len(missing),
            "by basis": {
                basis: _counts(own)
                for basis in BASES
                if (own := [record for record in found if record["basis"] == basis])
            },
        },
        "claims": found,
        "not_checked": missing,
    }


def _counts(found: Sequence[dict[str, Any]]) -> dict[str, int]:
    verdicts = [record["verdict"] for record in found]
    return {"checked": len(found)} | {verdict: verdicts.count(verdict) for verdict in VERDICTS}


def _record(claim: Claim, finding: Finding) -> dict[str, Any]:
    return {
        "name": claim.name,
        "section": claim.section,
        "place": claim.place,
        "statement": claim.statement,
        "verdict": finding.verdict,
        "basis": finding.basis,
        "measured": finding.measured,
        "note": finding.note,
        # JSON has no NaN; numbers are kept to six digits, more would be noise.
        "numbers": {
            key: float(f"{value:.6g}") if math.isfinite(value) else None
            for key, value in finding.numbers.items()
        },
    }


def where(claim: Claim) -> tuple[str, int, str]:
    """Return the file, relative to the repository, the line and the name of a claim's check."""
    check = inspect.unwrap(claim.check)
    file = Path(inspect.getsourcefile(check) or "").resolve().relative_to(ROOT)
    return file.as_posix(), inspect.getsourcelines(check)[1], check.__name__
