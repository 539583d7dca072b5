"""Showing results: starts from a result, never computes one."""
