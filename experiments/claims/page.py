"""The claims as a page of the documentation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from experiments.claims.checking import where
from experiments.claims.registry import Claim

_MARKS = {"holds": "✓ holds", "holds partly": "◐ partly", "does not hold": "✗ does not hold"}


def page(found: Mapping[str, Any], claims: Sequence[Claim]) -> str:
    """Return the page in Markdown."""
    counts, known = found["counts"], {claim.name: claim for claim in claims}
    run = "quick runs (three seeds)" if found["quick"] else "full runs (seeds 42–51)"
    sections = dict.fromkeys(record["section"] for record in found["claims"])
    lines = [
        "# The paper's claims, one by one",
        "",
        f"**{counts['checked']} claims checked: {counts['holds']} hold, {counts['holds partly']} "
        f"hold partly, {counts['does not hold']} do not hold.**",
        "",
        "Each is a sentence of the condPED-ANOVA paper in our words, with its place, what was "
        f"measured, and a link to the code that measures it, on {run}. *Exact* numbers come "
        "from the problems' distributions, without trials or smoothing. Made by "
        "`python -m experiments claims`; figures are on [another page](paper.md).",
        "",
        *_not_checked(found["not_checked"]),
        "## Where the paper does not hold, or for another reason",
        "",
        *(
            f"- **{record['statement']}** ({record['place']}; {_MARKS[record['verdict']]}) "
            f"{record['note']}"
            for record in found["claims"]
            if record["verdict"] != "holds"
        ),
        "",
    ]
    for section in sections:
        own = [record for record in found["claims"] if record["section"] == section]
        lines += [
            f"## {section}",
            "",
            "| claim | place | measured | verdict |",
            "| --- | --- | --- | --- |",
            *(_row(record, known[record["name"]]) for record in own),
            "",
        ]
    return "\n".join(lines)


def _row(record: Mapping[str, Any], claim: Claim) -> str:
    file, line, name = where(claim)
    note = f" *{record['note']}*" if record["note"] and record["verdict"] == "holds" else ""
    verdict = f"[{_MARKS[record['verdict']]}](../{file}#L{line} '{name}')"
    cells = (record["statement"], record["place"], record["measured"] + note, verdict)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _not_checked(missing: Sequence[Mapping[str, str]]) -> list[str]:
    if not missing:
        return []
    return [
        "Not checked:",
        "",
        *(f"- `{record['name']}`: {record['reason']}" for record in missing),
        "",
    ]
