"""The page on scale says what was measured."""

from __future__ import annotations

import json

from benchmarks.scale_page import PAGE, ROOT, page


def test_the_page_has_the_numbers_that_were_written_down() -> None:
    """Filling it in again changes nothing."""
    found = (
        json.loads((ROOT / "benchmarks" / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("scale", "workers", "archive")
    )
    text = PAGE.read_text(encoding="utf-8")
    assert page(text, *found) == text
