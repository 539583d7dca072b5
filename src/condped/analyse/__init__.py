"""The analyses: what can be found out from trials."""
