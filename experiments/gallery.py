"""All figures on one page of the documentation, with what the paper says about each."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image

from experiments.registry import Experiment, Row
from experiments.store import Store, versions, write_whole

LARGEST = 150_000  # bytes of a picture in the repository
_BASES = {
    "identity": "an identity",
    "printed": "on the paper's own numbers",
    "own surrogates": "on surrogates sampled here",
    "another surrogate generation": "on another surrogate generation",
}
_MARKS = {"holds": "✓", "holds partly": "◐", "does not hold": "✗"}


def collect(experiments: Sequence[Experiment], store: Store) -> dict[str, Any]:
    """Return what was run, with its time and its distance from the truth, as plain data."""
    found, missing = [], []
    for experiment in experiments:
        report = store.read_json(experiment.name, "report.json")
        if report is None:
            missing.append(experiment.name)
            continue
        folder = store.of(experiment.name)
        found.append(
            {
                "name": experiment.name,
                "place": experiment.place,
                "description": experiment.description,
                "seeds": [int(seed) for seed in report["seeds"]],
                "seconds": round(sum(report["seconds"].values()), 1),
                "settings": dict(experiment.settings),
                "source": _source(store.rows(experiment.name)[0]),
                "notice": experiment.notice,
                "versions": store.versions(experiment.name),
                "errors": _read_csv(folder / "errors.csv"),
                "pictures": [Path(f).name for f in report["files"] if f.endswith(".png")],
            }
        )
    return {
        "quick": store.quick,
        "now": versions(),
        "experiments": found,
        "not_run": missing,
    }


def _source(row: Row) -> str:
    """Return where evaluations not made here come from, according to a row of the run."""
    return f"Measured on {row['scenario']}: {row['label']}." if row.get("label") else ""


def _read_csv(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def copy_pictures(experiments: Sequence[Experiment], store: Store, folder: Path) -> list[Path]:
    """Copy the figures in few colours, so that each stays small."""
    folder.mkdir(parents=True, exist_ok=True)
    copied = []
    for experiment in experiments:
        report = store.read_json(experiment.name, "report.json") or {"files": []}
        for file in report["files"]:
            if file.endswith(".png"):
                target = folder / Path(file).name
                data = small(store.of(experiment.name) / file)
                write_whole(target, partial(Path.write_bytes, data=data))
                copied.append(target)
    return copied


def small(path: Path) -> bytes:
    """Return a picture as PNG with as many colours as its size allows."""
    with Image.open(path) as opened:
        picture = opened.convert("RGB")
    data = b""
    for colours in (128, 64, 32):
        buffer = BytesIO()
        picture.quantize(colours).save(buffer, "PNG", optimize=True)
        data = buffer.getvalue()
        if len(data) <= LARGEST:
            break
    return data


def page(found: Mapping[str, Any], claims: Mapping[str, Any]) -> str:
    """Return the page in Markdown."""
    kind = "A quick run: three seeds" if found["quick"] else "A full run: seeds 42–51"
    seconds = sum(experiment["seconds"] for experiment in found["experiments"])
    lines = [
        "# The paper's figures, reproduced",
        "",
        "Made by `make paper-full` (`make paper` is the quick version): "
        "`python -m experiments all`, then `python -m experiments docs`. "
        f"{kind}. Times are wall-clock times summed over seeds: {seconds / 60:.0f} minutes; seeds "
        "run in parallel, so two cores need little more than half of that.",
        "",
        *_versions(found),
        "Lines and bars are means over the seeds, bands and whiskers standard errors. The dashed "
        "lines are the exact truth, which the paper does not have. All claims with their numbers "
        "are on [the page of claims](claims.md).",
        "",
    ]
    if found["not_run"]:
        lines += [f"Not run: {', '.join(found['not_run'])}.", ""]
    for experiment in found["experiments"]:
        lines += _experiment(experiment, claims["claims"])
    return "\n".join(lines)


def _versions(found: Mapping[str, Any]) -> list[str]:
    """Return what the runs were computed with, and whether this page was made with the same."""
    used = [one for experiment in found["experiments"] for one in experiment["versions"]]
    ran: dict[str, Any] = {}
    for library in dict.fromkeys(key for one in used for key in one):
        told = dict.fromkeys(str(one.get(library)) for one in used)
        ran[library] = " and ".join(told)
    if not ran:
        return []
    text = "Computed with " + ", ".join(f"{library} {value}" for library, value in ran.items())
    others = [f"{k} {v}" for k, v in found["now"].items() if ran.get(k) != str(v)]
    if others:
        text += f"; this page was made with {', '.join(others)}"
    return [f"{text}.", ""]


def _experiment(experiment: Mapping[str, Any], claims: Sequence[Mapping[str, Any]]) -> list[str]:
    lines = [f"## {experiment['place']}: {experiment['description']}", ""]
    if experiment["source"]:
        lines += [f"{experiment['source']} Numbers: [YAHPO Gym](yahpo.md).", ""]
    for picture in experiment["pictures"]:
        lines += [f"![{experiment['place']}](paper/{picture})", ""]
    own = [claim for claim in claims if mentions(claim["place"], experiment["place"])]
    if own:
        lines += ["What the paper says about it:", ""]
        lines += [f"- {_MARKS[claim['verdict']]} {claim['statement']}{_on(claim)}" for claim in own]
        lines.append("")
    if experiment["errors"]:
        shown = ", ".join(f"{row['panel']} {row['error']}" for row in experiment["errors"])
        lines += [f"Mean distance of a single seed from the exact truth: {shown}.", ""]
    if experiment["notice"]:
        lines += [experiment["notice"], ""]
    seeds = experiment["seeds"]
    lines += [
        f"Seeds {seeds[0]}–{seeds[-1]}, {experiment['seconds']:.0f} s: "
        f"`python -m experiments run {experiment['name']}`.",
        "",
    ]
    return lines


def _on(claim: Mapping[str, Any]) -> str:
    """Return what a verdict rests on, if that is not the paper's own set-up."""
    return "" if claim["basis"] == "measured" else f" *({_BASES[claim['basis']]})*"


def mentions(place: str, figure: str) -> bool:
    """Return whether a claim's place names a figure or table, as in "§5.2, Figures 1a and 1b".

    Examples
    --------
    >>> mentions("§5.2, Figures 1a and 1b", "Figure 1"), mentions("Figure 11", "Figure 1")
    (True, False)
    >>> mentions("§6.2, Figure 5 and Table 1", "Figure 1")
    False
    """
    kind, number = figure.split()[:2]
    # Numbers up to the next word, so that "Figure 5 and Table 1" names no Figure 1.
    lists = re.findall(rf"{kind}s? ((?:\d+[a-z]?(?:, | and )?)+)", place)
    return number in [digits for one in lists for digits in re.findall(r"\d+", one)]
