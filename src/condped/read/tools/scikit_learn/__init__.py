"""Searches of scikit-learn: their results, and their grids and distributions as a space."""
