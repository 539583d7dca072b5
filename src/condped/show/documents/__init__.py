"""Results as documents: headline, tables and sentences, for Markdown and LaTeX."""

from __future__ import annotations

from condped.show.documents.parts import Document
from condped.show.kinds import presenter
from condped.show.text.layout import printed_within

_ENDLESS = 10**6  # columns: nothing is cut or broken to fit a line


def document_of(result: object) -> Document:
    """Return a result as a document."""
    with printed_within(_ENDLESS):
        found: Document = presenter(result, "document")(result)
    return found
