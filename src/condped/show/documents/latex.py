"""Documents as tables of LaTeX, ruled by booktabs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from condped.errors import SettingsError
from condped.safe_text import brief, printable
from condped.show.documents import document_of
from condped.show.documents.parts import Code, Part, Table

# Characters that mean something to LaTeX, or that its own fonts do not have.
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
# A minus in front of a number is longer than a hyphen.
_MINUS = re.compile(r"(?<![\w.])-(?=\.?\d)")
_LABEL = re.compile(r"[A-Za-z0-9:._-]+")


def latex_of(result: object, caption: str | None, label: str | None, *, notes: bool) -> str:
    """Return the tables of a result, in a float if there is a caption or a label."""
    if label is not None and not _LABEL.fullmatch(label):
        raise SettingsError(
            f"label must be made of letters, digits and : . _ - (got {brief(label)}), such as "
            "tab:importance."
        )
    document = document_of(result)
    tables = [part for part in document.parts if isinstance(part, Table) and part.rows]
    sentences = [line for part in document.parts for line in _sentences(part)]
    if not tables and not (document.first or sentences):
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
        lines += [] if caption is None else [rf"\caption{{{escaped(caption)}}}"]
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


def _sentences(part: Part) -> Iterator[str]:
    if isinstance(part, str):
        yield part
    elif isinstance(part, Code):
        yield from ()
    elif not isinstance(part, Table):
        yield from part


def _tabular(table: Table) -> Iterator[str]:
    columns = "".join("r" if place in table.right else "l" for place in range(len(table.header)))
    if table.title:
        yield rf"\par{{\bfseries {escaped(table.title)}\par}}"
    yield rf"\begin{{tabular}}{{{columns}}}"
    yield r"\toprule"
    yield _row(table.header)
    yield r"\midrule"
    for row in table.rows:
        yield _row(row)
    yield r"\bottomrule"
    yield r"\end{tabular}"


def _row(cells: Sequence[str]) -> str:
    text = " & ".join(map(escaped, cells))
    # The command before would take a bracket or an asterisk for its own.
    return rf"{'{}' if text.lstrip().startswith(('[', '*')) else ''}{text} \\"


def escaped(text: str) -> str:
    r"""Return a text that LaTeX sets as it is.

    Examples
    --------
    >>> print(escaped("learning_rate: -0.5 & 10 %, η² < 1 of \\x"))
    learning\_rate: $-$0.5 \& 10 \%, $\eta$\textsuperscript{2} \textless{} 1 of \textbackslash{}x
    """
    kept = len(text) - len(text.lstrip("\u00a0"))
    plain = _MINUS.sub("−", text[:kept] + printable(text[kept:]))
    return _SPECIAL.sub(lambda found: _WRITTEN[found[0]], plain)
