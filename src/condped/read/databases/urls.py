"""URLs of databases: parsed as people write them, and shown without their passwords."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, quote, unquote, urlsplit

from condped.errors import SettingsError


def split_url(source: str) -> SplitResult:
    """Return the parts of a URL; its password may hold any sign, percent-encoded or not."""
    before, login, after = _parts(source)
    user, colon, password = login.rpartition("@")[0].partition(":")
    at = "@" if login else ""
    safe = f"{before}{user}{colon}{quote(unquote(password), safe='')}{at}{after}"
    try:
        parts = urlsplit(safe)
        parts.port  # noqa: B018  (parsed on access)
    except ValueError as error:
        raise SettingsError(
            f"The URL {without_password(source)} cannot be understood: {error}. Write it as "
            "scheme://user:password@host:port/database."
        ) from None
    return parts


def without_password(source: str) -> str:
    """Return a URL for messages: without its password, and anything after a question mark."""
    before, login, after = _parts(source)
    user = login.rpartition("@")[0].partition(":")[0]
    return f"{before}{user}{'@' if login else ''}{after.partition('?')[0]}"


def _parts(source: str) -> tuple[str, str, str]:
    """Return scheme://, user:password@ (may be empty), and the rest."""
    scheme, sign, rest = source.partition("://")
    place = rest.partition("?")[0].rfind("@")
    if place < 0 and not re.match(r"[^:@/?]*(:\d+)?([/?]|$)", rest):
        place = rest.rfind("@")  # a question mark in the password
    return f"{scheme}{sign}", rest[: place + 1], rest[place + 1 :]
