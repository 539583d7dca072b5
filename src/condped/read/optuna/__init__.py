"""Studies of Optuna and rustuna."""
