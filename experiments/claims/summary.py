"""The claims as text for a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def summary(found: Mapping[str, Any]) -> str:
    """Return one line per claim and the counts."""
    lines = []
    section = ""
    for record in found["claims"]:
        if record["section"] != section:
            section = record["section"]
            lines += ["", section]
        lines.append(f"  {record['verdict']:<14} {record['name']}: {record['measured']}")
    for record in found["not_checked"]:
        lines.append(f"  not checked    {record['name']}: {record['reason']}")
    parts = [f"{basis}: {_text(own)}" for basis, own in found["counts"]["by basis"].items()]
    left = [f"not checked: {found['counts']['not checked']}"] if found["not_checked"] else []
    return "\n".join([*lines, "", *parts, *left])


def _text(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {what}" for what, number in counts.items())
