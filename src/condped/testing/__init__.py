"""Test kits for readers, of condped and of other packages."""

from condped.testing.reader_kit import Run, check_reader

__all__ = ["Run", "check_reader"]
