"""What values do to the objective, in its own units."""
