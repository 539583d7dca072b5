"""Results in the runs of experiment trackers."""
