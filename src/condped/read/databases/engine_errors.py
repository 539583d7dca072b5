"""Failures of engines, as errors of condped."""

from __future__ import annotations

import re
from collections.abc import Sequence

from condped.errors import DataError

_LONGEST = 300
# Messages of drivers, or names of their errors, when another thread uses the connection.
_BUSY = ("is busy with another call", "ResourceInUseException", "Resource In Use")
# ... when this process writes to the file through another connection,
_WRITTEN = "Unique file handle conflict"
# ... and when a query was cancelled in the middle, which only the user does.
_INTERRUPTED = ("Query interrupted", "Interrupted!", "InterruptException")
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_RAISED = re.compile(r"[A-Za-z_][\w.]*(Error|Exception|Exit)\b")


def failure(
    engine: str, label: str, step: str, error: Exception, secrets: Sequence[str] = ()
) -> BaseException:
    """Return what to raise in place of an engine's error.

    ``label`` is the table, ``step`` what was being done; ``secrets`` are kept out of the message.
    """
    kind, said = type(error).__name__, essence(error, secrets)
    if kind in _INTERRUPTED or any(said.endswith(words) for words in _INTERRUPTED):
        return KeyboardInterrupt()
    if _WRITTEN in said:
        return DataError(
            f"{engine} failed at {label} while {step}: this process has the file open for writing. "
            "Close that connection, or connect it with Ibis and give its table."
        )
    if any(words == kind or words in said for words in _BUSY):
        return DataError(
            f"The connection to {label} is busy while {step}: a connection of {engine} serves one "
            "call at a time. Give each thread its own, or let one call end before the next."
        )
    return DataError(
        f"{engine} failed at {label} while {step}: {said}. Nothing was left behind; fix it and "
        "call again."
    )


def essence(error: Exception, secrets: Sequence[str] = ()) -> str:
    """Return the line of an engine's message that states the cause, without ``secrets``."""
    said = _COLOURS.sub("", str(error))
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    raised = [line for line in lines if _RAISED.match(line)] if "Traceback (most" in said else []
    if raised:  # a traceback of Python ends with it
        lines = raised[-1:]
    line = next((line for line in lines if not line.startswith("An error occurred")), "")
    line = "".join(letter if letter.isprintable() else "?" for letter in line.lstrip(": "))
    for secret in secrets:
        line = line.replace(secret, "***")
    line = line if len(line) <= _LONGEST else f"{line[:_LONGEST]} …"
    return line.rstrip(".") or type(error).__name__
