"""The browser of the reports' tests, for pages that are served."""

from tests.show.conftest import browser

__all__ = ["browser"]
