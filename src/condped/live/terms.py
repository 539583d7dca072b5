"""The terms on which a server accepts requests: its host names, and a token."""

from __future__ import annotations

import ipaddress
import re
import secrets
import socket
from collections.abc import Iterable
from dataclasses import dataclass

from condped.errors import SettingsError
from condped.safe_text import brief

_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_SHORTEST_TOKEN = 16  # characters
_NAME = re.compile(r"[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9_])?")


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach a server at this address.

    Examples
    --------
    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    address = _address(host)
    return host.lower() == "localhost" if address is None else address.is_loopback


@dataclass(frozen=True, slots=True)
class Terms:
    """What a server requires of a request.

    Attributes
    ----------
    hosts
        The names that a request may use for the server.
    anywhere
        Whether it listens on all addresses of the machine: the one that a connection came to is
        then also accepted.
    token
        What a request must contain; None if the server is for this machine only.
    """

    hosts: frozenset[str]
    anywhere: bool
    token: str | None


def terms_of(host: str, *, token: str | None = None, allow_hosts: Iterable[str] = ()) -> Terms:
    """Return the terms of a server at an address; a token is generated if one is needed.

    Examples
    --------
    >>> terms_of("127.0.0.1").token is None, terms_of("0.0.0.0").token is None
    (True, False)
    """
    others = [_checked_host(one) for one in allow_hosts]
    if token is not None and (len(token) < _SHORTEST_TOKEN or not re.fullmatch(r"[!-~]+", token)):
        raise SettingsError(
            f"A token must have at least {_SHORTEST_TOKEN} visible ASCII characters and no spaces "
            f"(got {len(token)} characters). Leave it out to have one generated."
        )
    open_to_others = not all(map(is_loopback, (host, *others)))
    if token is None and open_to_others:
        token = secrets.token_urlsafe(32)
    address = _address(host)
    anywhere = address is not None and address.is_unspecified
    own = normalised(socket.gethostname() if anywhere else host)
    return Terms(frozenset((*_LOOPBACK, own, *others)), anywhere, token)


def normalised(host: str) -> str:
    """Return a name or an address in the form in which hosts are compared.

    Examples
    --------
    >>> normalised("[2001:DB8:0::1]"), normalised("Example.org")
    ('2001:db8::1', 'example.org')
    """
    address = _address(host)
    return host.lower() if address is None else str(address)


def reached_at(host: str) -> tuple[str, ...]:
    """Return the names of an address that a connection came to.

    A server on all IPv6 addresses sees IPv4 connections in a form that no client writes.

    Examples
    --------
    >>> reached_at("192.0.2.7"), reached_at("::ffff:192.0.2.7")[-1]
    (('192.0.2.7',), '192.0.2.7')
    """
    mapped = getattr(_address(host), "ipv4_mapped", None)
    return (normalised(host),) if mapped is None else (normalised(host), str(mapped))


def _checked_host(host: str) -> str:
    name = normalised(host)
    if _address(name) is None and not _NAME.fullmatch(name):
        raise SettingsError(
            f"A host must be a name or an address without scheme or port (got {brief(host)}), "
            "such as tuning.example.org or 192.0.2.7."
        )
    return name


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return None
