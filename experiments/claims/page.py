"""The claims as a page of the documentation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from experiments.claims.checking import where
from experiments.claims.registry import Claim

# What each basis is called in the head of the page.
_HEADS = {
    "measured": "In the paper's own set-up",
    "identity": "Identities, which hold by algebra and are only recomputed",
    "printed": "On the numbers that the paper prints",
    "own surrogates": "On surrogates of YAHPO Gym whose version is recorded",
    "another surrogate generation": "On YAHPO Gym, but on another surrogate generation than the "
    "paper's ([details](yahpo.md))",
}
_MARKS = {"holds": "✓ holds", "holds partly": "◐ partly", "does not hold": "✗ does not hold"}


def page(found: Mapping[str, Any], claims: Sequence[Claim]) -> str:
    """Return the page in Markdown."""
    known = {claim.name: claim for claim in claims}
    run = "quick runs (three seeds)" if found["quick"] else "full runs (seeds 42–51)"
    sections = dict.fromkeys(record["section"] for record in found["claims"])
    lines = [
        "# The paper's claims, one by one",
        "",
        *_head(found["counts"]),
        "",
        "Each is a sentence of the condPED-ANOVA paper in our words, with its place, what was "
        f"measured, and a link to the code that measures it, on {run}. *Exact* numbers come "
        "from the problems' distributions, without trials or smoothing. Made by "
        "`python -m experiments claims`; figures are on [another page](paper.md).",
        "",
        *_not_checked(found["not_checked"]),
        "## Where the paper does not hold, or holds in part",
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


def _head(counts: Mapping[str, Any]) -> list[str]:
    """Return the counts, one line for each kind of evidence; they are not added up."""
    lines = [
        f"- **{_HEADS[basis]}: {own['holds']} of {own['checked']} claims hold, "
        f"{own['holds partly']} more in part, {own['does not hold']} not.**"
        for basis, own in counts["by basis"].items()
    ]
    return [*lines, f"- Not checked: {counts['not checked']}."]


def _row(record: Mapping[str, Any], claim: Claim) -> str:
    file, line, name = where(claim)
    note = f" *{record['note']}*" if record["note"] and record["verdict"] == "holds" else ""
    if record["basis"] == "identity":
        note = f" *An identity.*{note}"
    verdict = f"[{_MARKS[record['verdict']]}](../{file}#L{line} '{name}')"
    cells = (record["statement"], record["place"], record["measured"] + note, verdict)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _not_checked(missing: Sequence[Mapping[str, str]]) -> list[str]:
    if not missing:
        return []
    return [
        "Not checked:",
        "",
        *(
            f"- **{record['statement']}** ({record['place']}; `{record['name']}`) "
            f"{record['reason']}"
            for record in missing
        ),
        "",
    ]
