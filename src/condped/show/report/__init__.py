"""The page of a report: one file of HTML, styles, script and data."""
