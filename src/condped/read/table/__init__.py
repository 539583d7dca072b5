"""From named columns to a table of trials."""
