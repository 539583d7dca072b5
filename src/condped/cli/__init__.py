"""The command line: ``condped importance``, ``sweep``, ``compare``, ``sources``, ``demo``."""

from condped.cli.app import main

__all__ = ["main"]
