"""The campaign's tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fuzz.page import between_marks

BEGIN, BETWEEN, END = "<!-- faults -->\n", "<!-- writers -->\n", "<!-- end -->\n"
ENDS = ("answer", "error", "killed", "untyped", "death", "hang")


def faults_table(rows: Sequence[dict[str, Any]]) -> str:
    """Return one line per fault and its target."""
    lines = [
        "| fault | done to | times | answers | errors | killed | untyped | crashes | hangs "
        "| wrong |",
        "|" + " --- |" * 10,
    ]
    for row in rows:
        counts = [f"{row['ends'].get(kind, 0):,}" for kind in ENDS]
        wrong = row["skipped"] or str(len(row["wrong"]))
        cells = [row["fault"], row["done_to"], f"{row['times']:,}", *counts, wrong]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def writers_table(told: dict[str, Any]) -> str:
    """Return one line per storage that writers worked on."""
    lines = [
        "| storage | trials | reads | updates | changes of the page | wrong | left behind | "
        "writers' errors, beside readers / alone | storing a trial, alone → beside readers |",
        "|" + " --- |" * 9,
    ]
    for row in told["storages"]:
        both = [row["reading"], row["following"]]
        writing = row["writers"]
        wrong = len(row["wrong"]) + sum(len(one["wrong"]) + len(one["errors"]) for one in both)
        left = len(row["left"]) + row["connections"]
        errors = f"{len(writing['errors_beside'])} / {len(writing['errors_alone'])}"
        took = f"{writing['median_alone']:.0f} → {writing['median_beside']:.0f} ms"
        cells = [row["storage"], f"{row['trials']:,}", *(f"{one['reads']:,}" for one in both)]
        cells += [f"{row['page_updates']:,}", str(wrong), str(left), errors, took]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def with_tables(page: str, state: dict[str, Any]) -> str:
    """Return the page with both tables in their places."""
    for mark, key, table in (
        (BEGIN, "faults", faults_table),
        (BETWEEN, "writers", writers_table),
    ):
        if key in state:
            page = between_marks(page, mark, END, table(state[key]))
    return page
