"""The command line."""

from condped.cli.app import main

__all__ = ["main"]
