"""Rows on a cluster, counted by its workers."""
