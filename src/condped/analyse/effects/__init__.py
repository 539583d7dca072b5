"""How values affect the objective, in its own units."""
