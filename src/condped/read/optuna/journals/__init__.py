"""Optuna's journals: replaying their operations, once or repeatedly."""
