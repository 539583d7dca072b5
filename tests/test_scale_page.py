"""The page on scale says what was measured, and its examples run."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from benchmarks.scale_page import PAGE, ROOT, page


def test_the_page_has_the_numbers_that_were_written_down() -> None:
    """Filling it in again changes nothing."""
    found = (
        json.loads((ROOT / "benchmarks" / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("scale", "workers", "archive")
    )
    text = PAGE.read_text(encoding="utf-8")
    assert page(text, *found) == text


@pytest.mark.filterwarnings("ignore::DeprecationWarning:ibis")
def test_examples_run() -> None:
    """The Python blocks are one session."""
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S)
    session: dict[str, Any] = {}
    assert blocks
    for block in blocks:
        exec(compile(block, "scale.md", "exec"), session)
