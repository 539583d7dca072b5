"""Whether there are enough trials yet, and how many more would do."""
