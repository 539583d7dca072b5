"""What engines say when they fail, in our words."""

from __future__ import annotations

from collections.abc import Sequence

from condped.errors import DataError

_LONGEST = 300
# What drivers say, or their errors are called, when another thread uses the connection.
_BUSY = ("is busy with another call", "ResourceInUseException", "Resource In Use")
# ... and when a query was cancelled in the middle, which only the user does.
_INTERRUPTED = ("Query interrupted", "Interrupted!", "InterruptException")


def failure(
    engine: str, shown: str, step: str, error: Exception, secrets: Sequence[str] = ()
) -> BaseException:
    """Return what to raise in place of an engine's error.

    ``shown`` is the table, ``step`` what was being done; ``secrets`` are kept out of the message.
    """
    kind, said = type(error).__name__, _plain(error, secrets).rstrip(".")
    if kind in _INTERRUPTED or any(said.endswith(words) for words in _INTERRUPTED):
        return KeyboardInterrupt()
    if any(words == kind or words in said for words in _BUSY):
        return DataError(
            f"The connection to {shown} is busy while {step}: a connection of {engine} serves one "
            "call at a time. Give each thread its own, or let one call end before the next."
        )
    return DataError(
        f"{engine} failed at {shown} while {step}: {said}. Nothing was left behind; put it right "
        "and repeat the call."
    )


def _plain(error: Exception, secrets: Sequence[str]) -> str:
    """Return what an engine said in one line, without passwords and queries."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    said = lines[0] if lines else type(error).__name__
    said = "".join(letter if letter.isprintable() else "?" for letter in said)
    for secret in secrets:
        said = said.replace(secret, "***")
    return said if len(said) <= _LONGEST else f"{said[:_LONGEST]} …"
