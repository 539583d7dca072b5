"""The activation tree as a document: a table with nested rows indented."""

from __future__ import annotations

from collections.abc import Iterator

from condped.analyse.branches.result import Branch, Branches, Node
from condped.analyse.importance.result import ImportanceResult
from condped.safe_text import shortened
from condped.show.documents.parts import Document, Table, undetermined
from condped.show.text.account import account_lines, headline_of
from condped.show.text.branches import (
    branch_remarks,
    found_from_words,
    node_numbers,
    tied_words,
)
from condped.show.words import tie_lines, tie_remark

_INDENT = "\u00a0\u00a0\u00a0"  # blanks that Markdown keeps
_MOST_ROWS = 100


def branches_document(found: Branches) -> Document:
    """Return the tree, with the importances of the whole study and of each branch side by side."""
    whole = found.whole
    header = (
        "parameter, branch", "trials", "in target", "best", "in the study", "verdict",
        "in the branch", "verdict",
    )  # fmt: skip
    rows = list(_rows(found.roots, 0, None))
    below = [] if found.parents else ["No parameter activates another."]
    if len(rows) > _MOST_ROWS:
        below.append(f"… and {len(rows) - _MOST_ROWS} more rows")
    below.append(f"Conditional structure: {found_from_words(found)}.")
    below += branch_remarks(found)
    sets = tie_remark(whole.tie, whole.target_size)
    below += account_lines(whole.account, whole.settings, sets)
    return Document(
        headline_of(whole),
        [Table(header, rows[:_MOST_ROWS], frozenset({1, 2, 3, 4, 6})), below],
        [*tie_lines(whole.tie), *undetermined(whole.status, whole.reason)],
    )


def _rows(
    nodes: tuple[Node, ...], depth: int, inside: ImportanceResult | None
) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the nodes and of everything below them."""
    for node in nodes:
        study, verdict, branch, within = node_numbers(node, inside)
        name = f"{_INDENT * depth}{shortened(node.parameter)}"
        yield name, "", "", "", study, verdict, branch, within
        for one in node.branches:
            yield _branch(node, one, depth + 1)
            yield from _rows(one.nodes, depth + 2, one.inside)


def _branch(gate: Node, branch: Branch, depth: int) -> tuple[str, ...]:
    best = "" if branch.best is None else f"{branch.best:.4g}"
    remark = tied_words(branch) or ""
    if branch.left_out and not branch.inside.account.trials.used:
        remark = f"no trials used; {branch.left_out} left out"
    elif branch.inside.status != "ok" and branch.trials and branch.nodes:
        remark = branch.inside.reason or ""
    name = f"{_INDENT * depth}{shortened(gate.parameter)}: {shortened(branch.label, 40)}"
    return name, f"{branch.trials:,}", f"{branch.target_trials:,}", best, "", "", "", remark
