"""Tables in databases and on clusters."""
