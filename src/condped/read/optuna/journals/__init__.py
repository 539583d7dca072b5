"""Journals of Optuna's: replaying their operations, once or again and again."""
