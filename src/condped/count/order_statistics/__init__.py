"""Exact order statistics of numbers that need not fit into memory."""
