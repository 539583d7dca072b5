"""Writing files: in the right format, as a whole, and never over an input."""
