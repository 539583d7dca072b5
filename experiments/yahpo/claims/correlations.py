"""§6.3 and appendix G.2: which method follows the learners' performance (Tables 2 and 4)."""

from __future__ import annotations

from experiments.claims.registry import Finding, Runs, claim
from experiments.yahpo import summary
from experiments.yahpo.claims.measures import SECTION, finding
from experiments.yahpo.learners import BASELINES, OWN
from experiments.yahpo.tables import title


def means(runs: Runs, table: str) -> dict[str, dict[str, float]]:
    """Return instance → method → mean of the seeds' correlations, where there is one."""
    found = summary.correlations(runs.rows(table))
    return {
        instance: {m: number.mean for m, number in methods.items() if number.mean is not None}
        for instance, methods in found.items()
    }


def _highest(runs: Runs, table: str) -> Finding:
    rows = runs.rows(table)
    leads = {own: summary.leads(rows, own) for own in OWN}
    parts = [lead.value > 0 for lead in leads["paper"].values()]
    told = "; ".join(
        f"{instance}: {lead.value:+.2f} ± {lead.error:.2f} against {title(lead.rival)}"
        for instance, lead in leads["paper"].items()
    )
    clear = sum(lead.clear for lead in leads["paper"].values())
    calibrated = sum(lead.value > 0 for lead in leads["calibrated"].values())
    absent = [m for m in BASELINES if all(row["method"] != m for row in rows)]
    note = (
        f"By more than two standard errors on {clear} of {len(parts)}; calibrated is ahead of all "
        f"baselines on {calibrated}."
    )
    if absent:
        note += f" Without {', '.join(map(title, absent))} (a quick run)."
    return finding(
        rows, parts, f"ahead of the best baseline by {told}", note,
        {"ahead": sum(parts), "of": len(parts)},
    )  # fmt: skip


def _never_negative(runs: Runs, table: str, at_least: float) -> Finding:
    found = means(runs, table)
    lowest = min(methods["paper"] for methods in found.values())
    negative = [
        method
        for method in BASELINES
        if any(methods.get(method, 0.0) < 0 for methods in found.values())
    ]
    present = [m for m in BASELINES if any(m in methods for methods in found.values())]
    own = [methods["calibrated"] for methods in found.values() if "calibrated" in methods]
    calibrated = f"calibrated's lowest is {min(own):.2f}." if own else "calibrated has none."
    return finding(
        runs.rows(table),
        [lowest > at_least, bool(negative)],
        f"condPED-ANOVA's lowest is {lowest:.2f}; negative on some instance: {len(negative)} of "
        f"{len(present)} baselines ({', '.join(map(title, negative)) or 'none'})",
        calibrated,
        {"lowest": lowest, "negative": len(negative)},
    )


@claim(
    "yahpo-rbv2-highest-correlation",
    section=SECTION,
    place="§6.3, Table 2",
    statement="condPED-ANOVA has the highest correlation on almost all instances of rbv2.",
)
def rbv2_highest(runs: Runs) -> Finding:
    """Compare it with the best baseline of each instance."""
    return _highest(runs, "table-2")


@claim(
    "yahpo-rbv2-stable",
    section=SECTION,
    place="§6.3, Table 2",
    statement="On rbv2 condPED-ANOVA's correlation is never negative; baselines' are on some.",
)
def rbv2_stable(runs: Runs) -> Finding:
    """Look for negative correlations."""
    return _never_negative(runs, "table-2", 0.0)


@claim(
    "yahpo-iaml-highest-correlation",
    section=SECTION,
    place="App. G.2, Table 4",
    statement="condPED-ANOVA has the highest correlation on all instances of iaml.",
)
def iaml_highest(runs: Runs) -> Finding:
    """Compare it with the best baseline of each instance."""
    return _highest(runs, "table-4")


@claim(
    "yahpo-iaml-stable",
    section=SECTION,
    place="App. G.2, Table 4",
    statement="On iaml condPED-ANOVA's correlation is positive and high throughout; several "
    "baselines' are negative on some instances.",
)
def iaml_stable(runs: Runs) -> Finding:
    """Look for negative correlations; high: above 0.4, as the paper's lowest is 0.42."""
    return _never_negative(runs, "table-4", 0.4)
