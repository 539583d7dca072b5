"""Whether there are enough trials yet, and how many more would be enough."""
