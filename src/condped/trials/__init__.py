"""Trials as columns: tables, batches of them, and the sets that they fall into."""
