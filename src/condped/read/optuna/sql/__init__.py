"""Optuna's tables in SQL, the same in any database; all values are bound."""
