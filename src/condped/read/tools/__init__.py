"""Runs and search spaces of other tools."""
