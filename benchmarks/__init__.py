"""Measurements against rivals: ratios within one run, never seconds across machines."""
