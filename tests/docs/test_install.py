"""The page on installing names every extra, and what each brings."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "start" / "install.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_table_has_every_extra_and_no_other() -> None:
    """In the first column, one or two in a row."""
    rows = re.findall(r"^\| (`.*?) \|", PAGE, re.MULTILINE)
    named = [extra for row in rows for extra in re.findall(r"`(\w+)`", row)]
    assert sorted(named) == sorted(PROJECT["optional-dependencies"])


def test_what_is_always_installed_is_what_the_page_says() -> None:
    """The names of the required packages, in the comment beside the command."""
    required = [re.split(r"\W", name)[0] for name in PROJECT["dependencies"]]
    assert "{}, {} and {}".format(*required) in PAGE
    assert PROJECT["requires-python"].removeprefix(">=") in PAGE
