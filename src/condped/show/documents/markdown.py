"""Documents as Markdown, as GitHub, GitLab, notebooks and Optuna's dashboard render it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import groupby

from condped.safe_text import printable
from condped.show.documents import document_of
from condped.show.documents.parts import Code, Document, Part, Table

# Starts emphasis, links, markup, entities or formulas anywhere in a line. Underscores inside words
# do not.
_MARKUP = re.compile(r"[\\`*\[\]<>|~$]|(?<![^\W_])_|_(?![^\W_])|&(?=[#\w])")
# Turns a line that starts with it into a list, a heading or a rule.
_STARTS = re.compile(r"^(?:(?=[#+=-]+(?:\s|$))|(\d+)(?=[.)](?:\s|$)))")
_ADDRESS = re.compile(r"(?<=http)(s?):(?=//)|(?<=\bwww)\.", re.IGNORECASE)
# Becomes a mention or a link to an issue on GitHub and GitLab, escaped or not, except inside code.
_REFERENCE = re.compile(
    r"(?<![\w./+-])([\w./+-]*[@#]\w+(?:[./-]+\w+)*|GH-\d+)", re.ASCII | re.IGNORECASE
)
_TICKS = re.compile(r"`+")


def markdown_of(result: object, heading: int) -> str:
    """Return a result as Markdown under a heading of a level from 1 to 6."""
    return markdown(document_of(result), heading)


def markdown(document: Document, heading: int) -> str:
    """Return a document as Markdown."""
    blocks = []
    if document.headline:
        blocks.append(f"{'#' * heading} {escaped(document.headline)}")
    blocks += [f"> **{escaped(warning)}**" for warning in document.first]
    blocks += [f"**{escaped(document.answer)}**"] if document.answer else []
    # Two lists in a row would become one loose list.
    parts = [part for part in document.parts if part]
    for together, group in groupby(parts, key=_is_list):
        texts = list(map(_part, group))
        blocks += ["\n".join(texts)] if together else texts
    return "\n\n".join(filter(None, blocks)) + "\n"


def _is_list(part: Part) -> bool:
    return not isinstance(part, str | Table | Code)


def _part(part: Part) -> str:
    if isinstance(part, str):
        return escaped(part)
    if isinstance(part, Table):
        return _table(part)
    if isinstance(part, Code):
        fence = _fence(part.text, 3)
        return f"{fence}{part.language}\n{part.text.rstrip()}\n{fence}"
    return "\n".join(f"- {escaped(entry)}" for entry in part)


def _table(table: Table) -> str:
    if not table.rows:
        return ""
    rule = ["---:" if place in table.right else "---" for place in range(len(table.header))]
    rows = [_cells(row, table.names) for row in table.rows]
    every = (_cells(table.header, table.heads), rule, *rows)
    return "\n".join(f"| {' | '.join(row)} |" for row in every)


def _cells(row: Sequence[str], names: Collection[int]) -> list[str]:
    return [code_span(cell) if place in names else escaped(cell) for place, cell in enumerate(row)]


def escaped(text: str) -> str:
    r"""Return text that is shown verbatim, on one line.

    Examples
    --------
    >>> print(escaped("*x* of learning_rate is <b>bold</b>, $1 | `2`"))
    \*x\* of learning_rate is \<b\>bold\</b\>, \$1 \| \`2\`
    >>> print(escaped("@user in #12"))
    `@user` in `#12`
    """
    between, *others = _REFERENCE.split(_one_line(text))
    written = _STARTS.sub(lambda found: f"{found[1] or ''}\\", _without_markup(between))
    for reference, rest in zip(others[::2], others[1::2], strict=True):
        written += f"`{reference}`{_without_markup(rest)}"
    return written


def _without_markup(text: str) -> str:
    plain = _MARKUP.sub(lambda found: f"\\{found[0]}", text)
    return _ADDRESS.sub(lambda found: f"{found[1] or ''}\\{found[0][-1]}", plain)


def code_span(text: str) -> str:
    r"""Return a name as a code span, in which nothing is interpreted as markup.

    Examples
    --------
    >>> print(code_span("learning_rate"), code_span("a|`b`"))
    `learning_rate` `` a\|`b` ``
    """
    plain = _one_line(text)
    inner = plain.lstrip("\u00a0")
    # A bar ends a table cell even inside code unless it is escaped; a backslash cannot be escaped.
    if not inner.strip() or ("|" in inner and "\\" in inner):
        return escaped(plain)
    fence = _fence(inner, 1)
    pad = " " if inner.startswith("`") or inner.endswith("`") else ""
    blanks = "&nbsp;" * (len(plain) - len(inner))
    return f"{blanks}{fence}{pad}{inner.replace('|', chr(92) + '|')}{pad}{fence}"


def _one_line(text: str) -> str:
    # Leading non-breaking blanks are indentation, and kept.
    kept = len(text) - len(text.lstrip("\u00a0"))
    return text[:kept] + printable(text[kept:])


def _fence(text: str, least: int) -> str:
    """Return a run of at least ``least`` backticks that does not occur in a text."""
    longest = max((len(found) for found in _TICKS.findall(text)), default=0)
    return "`" * max(least, longest + 1)
