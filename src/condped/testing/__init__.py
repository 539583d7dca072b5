"""Kits that any reader can be run through, condped's own and those of other packages."""

from condped.testing.readers import Run, check_reader

__all__ = ["Run", "check_reader"]
