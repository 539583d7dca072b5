"""SMAC3 and ConfigSpace."""
