"""A campaign: many inputs for every door, counted; it can be stopped and resumed."""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fuzz.case import Case, Ending, Outcome
from fuzz.door import Door
from fuzz.worker import DEFAULT_LIMITS, Limits, tried

_KEPT = 3  # failures of one kind that are stored


@dataclass(frozen=True, slots=True)
class Part:
    """Inputs of one door that are tried together, by their numbers."""

    door: type[Door]
    seed: str
    start: int
    stop: int

    @property
    def key(self) -> str:
        """Its key in the record of what is done."""
        return f"{self.seed}/{self.door.name}/{self.start}-{self.stop}"


class NotTriedError(Exception):
    """An input was only made, not tried."""


def parts_of(doors: Sequence[type[Door]], inputs: int, seed: str) -> Iterator[Part]:
    """Divide a campaign by the doors' weights; the doors take turns."""
    whole = sum(door.weight for door in doors)
    todo = {door: max(1, round(inputs * door.weight / whole)) for door in doors}
    rounds = max(-(-number // door.batch) for door, number in todo.items())
    for turn in range(rounds):
        for door, number in todo.items():
            start, stop = turn * number // rounds, (turn + 1) * number // rounds
            if stop > start:
                yield Part(door, seed, start, stop)


def run(
    parts: Sequence[Part],
    record: Path | None,
    failures: Path,
    *,
    limits: Limits = DEFAULT_LIMITS,
    report: Callable[[str], None] = print,
) -> list[dict[str, Any]]:
    """Try all parts that the record does not have yet; return the entries of all."""
    done = {entry["part"]: entry for entry in entries_of(record)}
    found = []
    for place, part in enumerate(parts, 1):
        if part.key not in done:
            entry = _tried_part(part, failures, limits)
            if record is not None:
                with record.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(entry) + "\n")
            done[part.key] = entry
            bad = {k: n for k, n in entry["counts"].items() if Outcome[k.upper()].bad}
            took = f"{entry['seconds']:.1f} s ({entry['cpu']:.1f} of the processor)"
            inputs = f"{part.door.name}: {part.stop - part.start} inputs in"
            report(f"{place}/{len(parts)} {inputs} {took} {bad or ''}".rstrip())
        found.append(done[part.key])
    return found


def entries_of(record: Path | None) -> list[dict[str, Any]]:
    """Return what is done already."""
    if record is None or not record.is_file():
        return []
    lines = record.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.endswith("}")]


def _tried_part(part: Part, failures: Path, limits: Limits) -> dict[str, Any]:
    began = time.monotonic()
    numbers = range(part.start, part.stop)
    cases = [lambda door, number=number: door.case(part.seed, number) for number in numbers]

    def keep(at: int, case: Case, ending: Ending) -> None:
        path = _free_path(part, numbers[at], ending, failures)
        if path is not None:
            case.save(path, kind=ending.kind, detail=ending.detail)

    shared, bad = tried(part.door, cases, limits, keep)
    for at, ending in bad:
        if ending.by_force:
            _keep_deadly(part, numbers[at], ending, failures)
    counts = Counter(o.name.lower() for o in shared.outcomes() if o is not Outcome.NONE)
    longest, which = shared.longest
    return {
        "part": part.key,
        "door": part.door.name,
        "counts": dict(counts),
        "longest": round(longest, 3),
        "longest_number": numbers[which],
        "seconds": round(time.monotonic() - began, 2),
        "cpu": round(shared.cpu, 2),
    }


def _free_path(part: Part, number: int, ending: Ending, failures: Path) -> Path | None:
    """Return where to store an input, or None if enough of its kind are stored."""
    kind = hashlib.sha256(ending.kind.encode("utf-8", "replace")).hexdigest()[:8]
    stem = f"{part.door.name}-{ending.outcome.name.lower()}-{kind}"
    if len(list(failures.glob(f"{stem}-*.json"))) >= _KEPT:
        return None
    return failures / f"{stem}-{number}.json"


def _keep_deadly(part: Part, number: int, ending: Ending, failures: Path) -> None:
    """Store an input that killed a worker: another one makes it again, without trying it."""
    path = _free_path(part, number, ending, failures)
    if path is None:
        return

    def making(door: Door) -> Case:
        door.case(part.seed, number).save(path, kind=ending.kind, detail=ending.detail)
        raise NotTriedError

    tried(part.door, [making])


def totals(entries: Sequence[Mapping[str, Any]], doors: Sequence[type[Door]]) -> dict[str, Any]:
    """Add up the entries of each door."""
    found = {}
    for door in doors:
        own = [entry for entry in entries if entry["door"] == door.name]
        if not own:
            continue
        counts: Counter[str] = Counter()
        for entry in own:
            counts.update(entry["counts"])
        found[door.name] = {
            "title": door.title,
            "oracle": door.oracle,
            "inputs": counts.total(),
            **{o.name.lower(): counts[o.name.lower()] for o in Outcome if o is not Outcome.NONE},
            "longest": max(entry["longest"] for entry in own),
            "seconds": round(sum(entry["seconds"] for entry in own)),
            "cpu": round(sum(entry["cpu"] for entry in own)),
        }
    return found
