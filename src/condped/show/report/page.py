"""Assembles template, style, script and data into one file; and the page of a study."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from condped.analyse.report.result import Report
from condped.show.text.account import data_lines, goals
from condped.writing.whole_files import encoded

# In the order in which they are concatenated.
_SCRIPTS = (
    "study", "elements", "folds", "smooth", "effects", "answer", "bars", "curve", "density",
    "cards", "tree", "advice", "pairs", "endings", "cost", "history", "forecast", "parallel",
    "account", "files", "downloads", "theme", "address",
    "connection", "live", "frame", "main",
)  # fmt: skip
# Could end a script element, start a comment in it, or end a line of JavaScript before ES2019.
_ESCAPED = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


def page(
    report: Report, live: str | None = None, index: str | None = None, *, framed: bool = False
) -> str:
    """Return the page of a report; its text is shown where scripts are disabled.

    With ``live``, the address of an event stream, the page keeps itself up to date; with
    ``index``, that of a list of studies, it links to the list. A ``framed`` page exchanges
    messages with the page around it.
    """
    data = page_data(report)
    places = {"live": live, "index": index, "framed": framed or None}
    title = str(data.get("title") or "condped report")
    return assembled(
        "template.html",
        ("report.css",),
        _SCRIPTS,
        title=title,
        text=str(report),
        data=data | {name: place for name, place in places.items() if place is not None},
        connects=live is not None,
    )


def assembled(
    template: str,
    styles: Sequence[str],
    scripts: Sequence[str],
    *,
    title: str,
    text: str,
    data: Mapping[str, Any],
    connects: bool = False,
) -> str:
    """Return a page assembled from the named parts.

    ``template`` is the file of its body; ``text`` is for readers without scripts. Only a page that
    ``connects`` may send requests, to the server that it comes from.
    """
    style, script = "".join(map(_read, styles)), _script(tuple(scripts))
    parts = {
        "policy": _policy(style, script, connects=connects),
        "title": html.escape(title),
        "style": style,
        "script": script,
        "text": html.escape(text),
        "data": json_in_html(data),
    }
    page = _read("page.html").replace("{{body}}", _read(template))
    # In one pass, so that placeholders inside a part are not replaced.
    pieces = page.split("{{")
    for place, piece in enumerate(pieces[1:], start=1):
        name, _, rest = piece.partition("}}")
        pieces[place] = parts[name] + rest
    return "".join(pieces)


def page_data(report: Report) -> dict[str, Any]:
    """Return the data of a report, with the page's sentences on its trials."""
    account = report.importance.account
    lines = [*data_lines(account), *report.data["account"]["notes"]]
    return report.data | {"texts": {"goal": goals(account), "lines": lines}}


def framed(page: str) -> str:
    """Return a page as a sandboxed frame, isolated from the page around it."""
    return (
        '<iframe sandbox="allow-scripts allow-downloads" style="width:100%;height:640px;border:0" '
        f'title="condped report" srcdoc="{html.escape(page)}"></iframe>'
    )


def json_in_html(data: Mapping[str, Any]) -> str:
    r"""Return JSON that cannot break out of a script element.

    Examples
    --------
    >>> print(json_in_html({"name": "</script>"}))
    {"name":"\u003c/script\u003e"}
    """
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return encoded(text).decode().translate(_ESCAPED)


def _policy(style: str, script: str, *, connects: bool) -> str:
    """Return the content security policy: only the page's own script and style, no requests.

    A page that ``connects`` may send requests to the server that it comes from only.
    """
    connect = "connect-src 'self'; " if connects else ""
    return (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        f"img-src data:; {connect}base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


@cache
def _script(names: tuple[str, ...]) -> str:
    """Return scripts as one, without global names."""
    parts = "\n".join(_read(f"script/{name}.js") for name in names)
    return f"(() => {{\n{parts}\n}})();"


@cache
def _read(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
