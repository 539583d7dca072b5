"""Counting: from trials to the few integers that all estimates are computed from."""
