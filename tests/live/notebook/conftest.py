"""The browser of the tests of pages."""

from tests.show.conftest import browser

__all__ = ["browser"]
