"""Files of any size, read batch by batch by threads."""
