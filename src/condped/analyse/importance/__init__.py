"""Estimating importances: settings, formulas, one target quantile or a sweep of them."""
