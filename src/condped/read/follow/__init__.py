"""Studies that are still running: what is new since the last read."""
