"""Files of any size, batch by batch."""
