"""Documents as LaTeX tables: ruled by booktabs, wrapped by array, fitted by graphicx.

Long texts in cells are wrapped; a table that may still be wider than the line is scaled to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from condped.errors import SettingsError
from condped.safe_text import brief, printable
from condped.show.documents import document_of
from condped.show.documents.parts import Code, Part, Table

# Characters that are special in LaTeX or missing from its own fonts.
_WRITTEN = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "_": r"\_", "%": r"\%", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"{\char34}",
    "`": r"\textasciigrave{}", "'": r"\textquotesingle{}",
    "η": r"$\eta$", "γ": r"$\gamma$", "τ": r"$\tau$", "α": r"$\alpha$", "β": r"$\beta$",
    "κ": r"$\kappa$", "²": r"\textsuperscript{2}", "≈": r"$\approx$", "≤": r"$\leq$",
    "≥": r"$\geq$", "≠": r"$\neq$", "×": r"$\times$", "·": r"$\cdot$", "→": r"$\rightarrow$",
    "−": r"$-$", "…": r"\ldots{}", "–": "--", "—": "---", "●": r"$\bullet$", "○": r"$\circ$",
    "◐": r"$\odot$", "\u00a0": "~", "“": "``", "”": "''", "’": "'",
}  # fmt: skip
_SPECIAL = re.compile("|".join(map(re.escape, _WRITTEN)))
# A minus sign, which is longer than a hyphen.
_MINUS = re.compile(r"(?<![\w.])-(?=\.?\d)")
_LABEL = re.compile(r"[A-Za-z0-9:._-]+")
_LINE = 60  # characters that fit on a line of an article, counting two per column for its margins
_UNWRAPPED = 20  # characters up to which a cell is not wrapped
_WRAPPED = 14, 30  # fewest and most characters on a line of a wrapped cell
_EM = 2  # characters per em
_FITTED = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"


def latex_of(result: object, caption: str | None, label: str | None, *, notes: bool) -> str:
    """Return the tables of a result, in a float if there is a caption or a label."""
    if label is not None and not _LABEL.fullmatch(label):
        raise SettingsError(
            f"label must be made of letters, digits and : . _ - (got {brief(label)}), such as "
            "tab:importance."
        )
    document = document_of(result)
    tables = [part for part in document.parts if isinstance(part, Table) and part.rows]
    sentences = list(_sentences(document.parts))
    if not tables and not (document.first or sentences or document.answer):
        raise SettingsError(
            f"A {type(result).__name__} has no tables for LaTeX. Use to_markdown() instead."
        )
    lines = [f"% {printable(document.headline)}"] if document.headline else []
    sentences[:0] = [document.answer] if document.answer else []
    if not notes:
        lines += [f"% {printable(sentence)}" for sentence in sentences]
    floats = caption is not None or label is not None
    if floats:
        lines += [r"\begin{table}", r"\centering"]
        lines += [] if caption is None else [rf"\caption{{{escaped(caption)}}}\smallskip"]
        lines += [] if label is None else [rf"\label{{{label}}}"]
    lines += [rf"\par{{\bfseries {escaped(sentence)}\par}}" for sentence in document.first]
    for place, table in enumerate(tables):
        lines += [r"\par\medskip"] if place else []
        lines += _tabular(table)
    if not tables:
        lines.append(rf"\par {escaped(document.answer or document.headline)}\par")
    if notes and sentences:
        lines += [r"\par\smallskip", r"{\footnotesize\raggedright"]
        lines += [rf"{escaped(sentence)}\par" for sentence in sentences]
        lines.append("}")
    lines += [r"\end{table}"] if floats else []
    return "\n".join(lines) + "\n"


def _sentences(parts: Sequence[Part]) -> Iterator[str]:
    """Yield all sentences except those that introduce code, which is left out."""
    for part, following in zip_longest(parts, parts[1:]):
        if isinstance(part, str):
            if not isinstance(following, Code):
                yield part
        elif not isinstance(part, Table | Code):
            yield from part


def _tabular(table: Table) -> Iterator[str]:
    kinds, width = _columns(table)
    if table.title:
        yield rf"\par\noindent{{\bfseries {escaped(table.title)}\par}}\nopagebreak\smallskip"
    yield r"\noindent" + (_FITTED if width > _LINE else "%")
    yield rf"\begin{{tabular}}{{{kinds}}}"
    yield r"\toprule"
    yield _row(table.header)
    yield r"\midrule"
    for row in table.rows:
        yield _row(row)
    yield r"\bottomrule"
    yield r"\end{tabular}" + ("}" if width > _LINE else "")


def _columns(table: Table) -> tuple[str, int]:
    """Return the column specification, and the approximate width in characters."""
    kinds, width = "", 0
    for place, cells in enumerate(zip(table.header, *table.rows, strict=True)):
        right, longest = place in table.right, max(map(len, cells))
        if place not in table.names and longest > _UNWRAPPED:
            words = max(len(word) for cell in cells for word in cell.split())
            longest = max(_WRAPPED[0], min(longest // 2 + 2, _WRAPPED[1]), words)
            ragged = r"\raggedleft" if right else r"\raggedright"
            kinds += rf">{{{ragged}\arraybackslash}}p{{{longest // _EM}em}}"
        else:
            kinds += "r" if right else "l"
        width += longest + 2
    return kinds, width


def _row(cells: Sequence[str]) -> str:
    text = " & ".join(map(escaped, cells))
    # The command before would take a bracket or an asterisk as its argument.
    return rf"{'{}' if text.lstrip().startswith(('[', '*')) else ''}{text} \\"


def escaped(text: str) -> str:
    r"""Return text that LaTeX typesets verbatim.

    Examples
    --------
    >>> print(escaped("learning_rate: -0.5 & 10 %, η² < 1 of \\x"))
    learning\_rate: $-$0.5 \& 10 \%, $\eta$\textsuperscript{2} \textless{} 1 of \textbackslash{}x
    """
    kept = len(text) - len(text.lstrip("\u00a0"))
    plain = _MINUS.sub("−", text[:kept] + printable(text[kept:]))
    return _SPECIAL.sub(lambda found: _WRITTEN[found[0]], plain)
