"""The summary of a GitHub Actions job."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from condped.cli.conditions import CheckedConditions
from condped.errors import SettingsError
from condped.writing.whole_files import append_text

SUMMARY_FILE = "GITHUB_STEP_SUMMARY"


def summary_file() -> Path:
    """Return the file of the job's summary."""
    place = os.environ.get(SUMMARY_FILE)
    if not place:
        raise SettingsError(
            f"--github-summary needs the environment variable {SUMMARY_FILE}, which GitHub "
            "Actions sets to a file. Elsewhere use --markdown, or -o FILE.md."
        )
    return Path(place)


def append_summary(file: Path, result: Any, checked: CheckedConditions) -> None:
    """Add a result to the summary, after the outcome of the conditions."""
    messages = "\n".join(checked.messages)
    # A code block, in which names are not markup; no message begins with its fence.
    before = f"~~~text\n{messages}\n~~~\n\n" if messages else ""
    append_text(f"{before}{result.to_markdown()}\n", file)
