"""Hyperparameter importances with verdicts, as a bar chart."""

from ._plot import plot_importance_verdicts


__all__ = ["plot_importance_verdicts"]
