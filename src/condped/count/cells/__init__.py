"""Cells: from values to the cells of grids and of ranks, and the trials in each."""
