"""The site: its examples, and what it is built into."""
