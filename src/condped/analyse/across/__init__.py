"""Several studies: what matters everywhere, and where they differ."""
