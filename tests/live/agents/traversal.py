"""Arguments that try to reach what was not given, and what a server opens while it gets them.

Run as a module with the path of a journal file: prints how often each tool refused, and everything
that was opened or connected to meanwhile.
"""

from __future__ import annotations

import json
import sys
from typing import Any

ESCAPES = (
    "../../etc/passwd",
    "/etc/passwd",
    "file:///etc/passwd",
    "sqlite:////etc/passwd",
    "sqlite:///../outside.db",
    "postgresql://me:guess@127.0.0.1:9/db",
    "http://127.0.0.1:9/",
    "~/.ssh/id_rsa",
    "~root",
    "*",
    "tuning:*",
    "/etc/*",
    "tuning:../../outside",
    "tuning/../outside.csv",
    "tuning:maximised\0",
    "\0",
    "tuning.log",
    "redis://127.0.0.1:9",
    "s3://bucket/key",
    "\\\\server\\share",
    "x" * 400,
    "{tuning:maximised}",
    "tuning:maximised\n",
)
ONE = ("importance", "effects", "branches", "advise", "forecast", "report")
# Things that other interfaces of condped take, and some that none does.
UNKNOWN = ("space", "loss", "backend", "reader", "path", "output", "source", "storage", "engine")


def attempts(study: str, escape: str) -> list[tuple[str, dict[str, Any]]]:
    """Return calls that hold an escape in every argument of every tool."""
    calls: list[tuple[str, dict[str, Any]]] = []
    for tool in ONE:
        calls += [
            (tool, {"study": escape}),
            (tool, {"study": study, "where": escape}),
            (tool, {"study": study, "objective": escape}),
            *((tool, {"study": study, name: escape}) for name in UNKNOWN),
        ]
    calls += [
        ("effects", {"study": study, "parameter": escape}),
        ("importance", {"study": study, "target": escape}),
        ("across", {"studies": [escape, study]}),
        ("difference", {"before": study, "after": escape}),
        ("difference", {"before": escape, "after": study}),
        ("list_studies", {"source": escape}),
    ]
    return calls


def main(journal: str) -> None:
    """Make all attempts while everything that is opened is written down."""
    from condped.live.agents.desk import Desk  # noqa: PLC0415
    from condped.live.agents.server import make_server  # noqa: PLC0415
    from tests.live.agents.asking import asking, text_of  # noqa: PLC0415

    study = "tuning:maximised"
    opened: list[str] = []
    kinds = (
        "open", "sqlite3.connect", "socket.connect", "socket.getaddrinfo", "os.listdir",
        "os.scandir", "glob.glob", "subprocess.Popen", "os.system",
    )  # fmt: skip

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if watching and event in kinds:
            opened.append(f"{event} {arguments[:2]!r}")

    watching = False
    sys.addaudithook(hook)
    answered, refused, told = [], 0, []
    with asking(make_server(Desk([journal]))) as client:
        for tool in ONE:  # what is loaded on first use
            client(tool, study=study)
        client("across", studies=[study, "tuning:again"])
        client("difference", before=study, after="tuning:again")
        watching = True
        for escape in ESCAPES:
            for tool, arguments in attempts(study, escape):
                result = client.result(tool, **arguments)
                told.append(text_of(result))
                refused += result.is_error
                if not result.is_error:
                    answered.append([tool, arguments])
        watching = False
    found = {"answered": answered, "refused": refused, "opened": opened, "told": told}
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
