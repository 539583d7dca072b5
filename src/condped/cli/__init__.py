"""The command line: ``condped importance``, ``sweep``, ``branches``, ``advise``, ``sources``, ``demo``."""

from condped.cli.app import main

__all__ = ["main"]
