"""Files to write: in which form, as a whole, and never in place of what is read."""
