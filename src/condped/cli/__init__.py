"""The command line: ``condped importance``, ``condped sweep``, ``condped demo``."""

from condped.cli.app import main

__all__ = ["main"]
