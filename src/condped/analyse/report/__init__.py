"""A study as one page: everything that condped finds."""
