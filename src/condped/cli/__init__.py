"""The command line: ``condped importance``, ``sweep``, ``branches``, ``advise`` and others."""

from condped.cli.app import main

__all__ = ["main"]
