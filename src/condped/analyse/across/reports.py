"""Reports of single studies, next to the page that compares them."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import quote

from condped.analyse.importance.result import ImportanceResult
from condped.errors import SettingsError

_MOST_LETTERS = 40  # of a study's name, in that of its file


def write_reports(
    results: Mapping[str, ImportanceResult],
    page: str | os.PathLike[str],
    folder: str | os.PathLike[str],
) -> dict[str, str]:
    """Write the report of each study into a folder; return links from the page, by name."""
    known = {name: result._trials for name, result in results.items()}
    if not known or any(trials is None for trials in known.values()):
        raise SettingsError(
            "Reports of single studies need their trials, which this result does not have: it was "
            "saved, or its studies were counted one after the other. Compare the studies again, or "
            "leave reports out."
        )
    report = import_module("condped.analyse.report.assemble").report
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    links = {}
    for number, (name, trials) in enumerate(known.items(), start=1):
        assert trials is not None
        file = place / f"{number:0{len(str(len(known)))}}-{_file_name(name)}.html"
        report(
            trials.given,
            file,
            target_quantile=results[name].target_quantile,
            title=name,
            **_options(trials.settings),
            **_options(trials.handling),
        )
        away = os.path.relpath(file.resolve(), Path(page).resolve().parent)
        links[name] = quote(Path(away).as_posix())
    return links


def _options(declaration: Any) -> dict[str, Any]:
    """Return the options that differ from their defaults, by name."""
    return {
        one.name: getattr(declaration, one.name)
        for one in fields(declaration)
        if "help" in one.metadata and getattr(declaration, one.name) != one.default
    }


def _file_name(name: str) -> str:
    """Return a study's name in characters that every file system accepts."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:_MOST_LETTERS] or "study"
