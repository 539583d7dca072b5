"""Results as text: what ``print(result)`` shows."""

from condped.safe_text import visible
from condped.show.kinds import presenter
from condped.show.text.layout import printed_within, text_width


def text_of(result: object, width: int | None = None) -> str:
    """Return a result as text, in ``width`` columns; None: as wide as the caller allows."""
    with printed_within(width or text_width()):
        return visible(presenter(result, "text")(result))
