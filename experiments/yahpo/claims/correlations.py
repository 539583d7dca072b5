"""§6.3 and appendix G.2: which method follows the learners' performance (Tables 2 and 4)."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.claims.measures import verdict
from experiments.claims.registry import Finding, Runs, claim
from experiments.yahpo import summary
from experiments.yahpo.claims.measures import SECTION, finding
from experiments.yahpo.learners import BASELINES, OWN
from experiments.yahpo.published import CORRELATIONS
from experiments.yahpo.results import TABLES
from experiments.yahpo.tables import title


def means(runs: Runs, table: str) -> dict[str, dict[str, float]]:
    """Return instance → method → mean of the seeds' correlations, where there is one."""
    found = summary.correlations(runs.rows(table))
    return {
        instance: {m: number.mean for m, number in methods.items() if number.mean is not None}
        for instance, methods in found.items()
    }


def _highest(runs: Runs, table: str, *, at_least: float) -> Finding:
    """Count clear leads over the best baseline; at_least: the share of instances it takes."""
    rows = runs.rows(table)
    leads = {own: summary.leads(rows, own) for own in OWN}
    states = {own: [lead.state for lead in found.values()] for own, found in leads.items()}
    own, share = states["paper"], states["paper"].count("ahead") / len(states["paper"])
    told = "; ".join(
        f"{instance}: {lead.value:+.2f} ± {lead.error:.2f} against {title(lead.rival)} "
        f"({lead.state})"
        for instance, lead in leads["paper"].items()
    )
    family = next(name for name, place in TABLES.items() if place == table)
    absent = [m for m in BASELINES if all(row["method"] != m for row in rows)]
    note = (
        f"{len(own)} of the paper's {len(CORRELATIONS[family])} instances: clearly ahead on "
        f"{own.count('ahead')}, a tie on {own.count('tie')}, clearly behind on "
        f"{own.count('behind')} (clearly: by more than two standard errors). calibrated: "
        f"{_counted(states['calibrated'])}."
    )
    if absent:
        note += f" Without {', '.join(map(title, absent))} (a quick run)."
    good = verdict(share >= at_least, partly=share >= 0.5 and "behind" not in own)
    return finding(
        rows, good, f"ahead of the best baseline by {told}", note,
        {"ahead": own.count("ahead"), "behind": own.count("behind"), "of": len(own)},
    )  # fmt: skip


def _counted(states: Sequence[str]) -> str:
    return ", ".join(f"{state} {states.count(state)}" for state in ("ahead", "tie", "behind"))


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
    """Compare it with the best baseline of each instance; almost all: four of five."""
    return _highest(runs, "table-2", at_least=0.8)


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
    return _highest(runs, "table-4", at_least=1.0)


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
