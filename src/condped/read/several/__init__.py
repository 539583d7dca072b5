"""Several studies: from what users have to named sources."""
