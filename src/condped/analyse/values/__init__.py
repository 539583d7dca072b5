"""Where target trials lie among all, and which values are good."""
