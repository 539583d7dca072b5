"""A page that lists studies, with links to the pages of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import condped
from condped.analyse.saving.plain import plain
from condped.analyse.studies import Studies
from condped.show.report.page import assembled

# In the order in which they are concatenated.
_SCRIPTS = ("elements", "theme", "connection", "list")


def studies_page(studies: Studies, links: Mapping[str, str], live: str | None, title: str) -> str:
    """Return the page, with ``links`` by study; ``live`` is the address of its event stream."""
    data: dict[str, Any] = {
        "schema": "condped.studies-page/1",
        "title": title,
        "rows": [row | {"link": links.get(row["study"])} for row in studies.rows()],
        "versions": {"condped": condped.__version__},
    }
    if live is not None:
        data["live"] = live
    return assembled(
        "studies.html",
        ("report.css", "studies.css"),
        _SCRIPTS,
        title=title,
        text=str(studies),
        data=plain(data),
        connects=live is not None,
    )
