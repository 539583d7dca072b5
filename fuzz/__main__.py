"""``python -m fuzz``: tries hostile inputs at every door of condped, and counts how they end.

It can be stopped and resumed: what is done is kept in ``--record``. Inputs that end as they must
not are stored in ``--failures``; ``--replay`` tries them again.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from fuzz.campaign import parts_of, run, totals
from fuzz.case import Case, Ending, Outcome
from fuzz.door import Door
from fuzz.doors import DOORS, door_named
from fuzz.minimise import minimised
from fuzz.page import page_of, table_of
from fuzz.worker import Limits, preload, tried

HOME = Path(__file__).parent
CORPUS = HOME / "corpus"


def main() -> int:
    """Run what the command line requests; return 1 if something ended as it must not."""
    given = _arguments()
    limits = Limits(cpu=given.cpu, wall=given.wall)
    doors = [door_named(name) for name in given.door] or list(DOORS.values())
    if given.replay:
        return _replay(given.replay, {d.name: d for d in doors}, limits, given.minimise)
    preload(doors)
    parts = list(parts_of(doors, given.inputs, given.seed))
    own, _, processes = given.share.partition("/")
    parts = parts[int(own) - 1 :: int(processes)]
    if given.record is not None:
        given.record.parent.mkdir(parents=True, exist_ok=True)
    given.failures.mkdir(parents=True, exist_ok=True)
    entries = run(parts, given.record, given.failures, limits=limits, report=_write_line)
    found = totals(entries, doors)
    _write_line(table_of(found))
    if given.output is not None:
        stored = {"seed": given.seed, "doors": found}
        given.output.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    if given.page is not None:
        page_of(found, given.seed, given.page)
    return int(any(door[o.name.lower()] for door in found.values() for o in Outcome if o.bad))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=305_000, help="of all doors together")
    parser.add_argument("--door", action="append", default=[], metavar="NAME",
                        help=f"this door only; repeatable: {', '.join(DOORS)}")  # fmt: skip
    parser.add_argument("--seed", default="1")
    parser.add_argument("--share", default="1/1", metavar="K/N",
                        help="a part of the campaign, for several processes at once")  # fmt: skip
    parser.add_argument("--record", type=Path, help="what is done, for going on later")
    parser.add_argument("--failures", type=Path, default=HOME / "failures")
    parser.add_argument("--output", type=Path, help="the counts, as JSON")
    parser.add_argument("--page", type=Path, help="the page of the documentation to fill")
    parser.add_argument("--cpu", type=float, default=20.0, help="seconds of the processor")
    parser.add_argument("--wall", type=float, default=90.0, help="seconds by the clock")
    parser.add_argument("--replay", type=Path, nargs="+", metavar="FILE",
                        help="try stored inputs again; folders with all in them")  # fmt: skip
    parser.add_argument("--minimise", action="store_true", help="make replayed inputs smaller")
    return parser.parse_args()


def _replay(
    paths: Sequence[Path], known: Mapping[str, type[Door]], limits: Limits, minimise: bool
) -> int:
    files = [
        f for path in paths for f in ([path] if path.is_file() else sorted(path.glob("*.json")))
    ]
    cases = [Case.load(file) for file in files]
    doors = {name: known[name] for name in dict.fromkeys(case.door for case in cases)}
    preload(doors.values())
    bad = 0
    for name, door in doors.items():
        own = [(file, case) for file, case in zip(files, cases, strict=True) if case.door == name]
        shared, failures = tried(door, [_always(case) for _, case in own], limits)
        endings = dict(failures)
        for place, ((file, case), outcome) in enumerate(zip(own, shared.outcomes(), strict=True)):
            ending = endings.get(place, Ending(outcome))
            _write_line(f"{file.name}: {outcome.name.lower()} {ending.detail}".rstrip())
            bad += outcome.bad
            if outcome.bad and minimise:
                smaller = minimised(door, case, ending, limits)
                smaller.save(file, kind=ending.kind, detail=ending.detail)
                _write_line(f"  {len(case.data)} bytes became {len(smaller.data)}")
    _write_line(f"{len(files)} inputs, {bad} ended as they must not.")
    return int(bad > 0)


def _always(case: Case) -> Callable[[Door], Case]:
    return lambda _: case


def _write_line(line: str) -> None:
    sys.stdout.write(line.encode("utf-8", "backslashreplace").decode() + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
