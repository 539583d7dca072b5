"""SECURITY.md names tests that exist."""

from __future__ import annotations

import ast
import re

from tests.package.conftest import ROOT


def test_every_promise_has_its_test() -> None:
    """Each row of the table names a test function, in its file."""
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    _, *rows = [line for line in text.splitlines() if line.startswith("| ") and "---" not in line]
    assert len(rows) >= 20
    for row in rows:
        _, promise, shown, _ = (cell.strip() for cell in row.split("|"))
        found = re.fullmatch(r"`([\w/]+\.py)::(test_\w+)`", shown)
        assert found is not None, promise
        module = ast.parse((ROOT / "tests" / found[1]).read_text(encoding="utf-8"))
        functions = {node.name for node in module.body if isinstance(node, ast.FunctionDef)}
        assert found[2] in functions, f"{promise}: there is no {shown}"
