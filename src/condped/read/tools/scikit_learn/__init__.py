"""scikit-learn searches: their results, and their grids and distributions as a space."""
