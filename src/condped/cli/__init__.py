"""The command line: a module for each command, and what they share."""

from condped.cli.app import main

__all__ = ["main"]
