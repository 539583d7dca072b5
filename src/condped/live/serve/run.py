"""From sources to a server that shows them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from condped.live.access import Guard
from condped.live.serve.app import app_of
from condped.live.serve.catalogue import Catalogue
from condped.live.serve.server import listen, origin_of, run
from condped.live.terms import terms_of


class Address(NamedTuple):
    """Where a server can be reached.

    Attributes
    ----------
    url
        With the token, if one is required.
    studies
        The number of studies served.
    """

    url: str
    studies: int
    token: bool


def serve(
    sources: Sequence[str],
    options: Mapping[str, Any],
    *,
    host: str = "127.0.0.1",
    port: int = 8765,
    token: str | None = None,
    allow_hosts: Iterable[str] = (),
    every: float = 1.0,
    announce: Callable[[Address], None],
) -> None:
    """Serve studies to browsers until Ctrl-C or SIGTERM.

    Parameters
    ----------
    sources, options
        As for :func:`condped.report`, several sources.
    host, port, token, allow_hosts
        Where to listen and on which terms; port 0 is any free port.
    every
        Minimum number of seconds between two looks at a source.
    announce
        Called with the server's address once it can be reached.
    """
    terms = terms_of(host, token=token, allow_hosts=allow_hosts)
    listening = listen(host, port)
    try:
        catalogue = Catalogue(sources, options, every=every)
        try:
            query = f"?token={terms.token}" if terms.token else ""
            url = f"{origin_of(host, listening, terms)}/{query}"
            address = Address(url, len(catalogue.entries), bool(terms.token))
            run(
                Guard(app_of(catalogue), terms), listening,
                on_start=lambda: announce(address), on_end=catalogue.close,
            )  # fmt: skip
        finally:
            catalogue.close()
    finally:
        listening.close()
