"""Sources in databases and on clusters."""
