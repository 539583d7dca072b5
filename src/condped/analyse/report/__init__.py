"""A study as one page: everything that condped finds, put together for people."""
