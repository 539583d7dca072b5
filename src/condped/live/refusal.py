"""Responses that refuse a request, and the headers of all responses."""

from __future__ import annotations

from typing import Any, TypeAlias

Headers: TypeAlias = tuple[tuple[bytes, bytes], ...]

# Nothing is stored, framed, embedded elsewhere or taken for another type. Pages replace this policy
# by their own.
HEADERS: Headers = (
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
    (b"cache-control", b"no-store"),
)


class RefusedError(Exception):
    """A request that is refused: the response, and what is logged (no secrets)."""

    def __init__(
        self,
        status: int,
        message: str,
        log: str,
        headers: Headers = (),
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.log = log
        self.headers = headers


def too_large(most: int) -> RefusedError:
    """Return the refusal of a body that is too large."""
    allowed = f"may have a body of at most {most} bytes" if most else "may not have a body"
    return RefusedError(413, f"Requests {allowed}.", "a body that is too large")


def plain_answer(
    status: int, text: str, headers: Headers, *, head: bool
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the messages of a plain-text response, after which the connection is closed."""
    body = f"{text}\n".encode() if text else b""
    own = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
        *headers,
    ]
    return (
        {"type": "http.response.start", "status": status, "headers": own},
        {"type": "http.response.body", "body": b"" if head else body},
    )
