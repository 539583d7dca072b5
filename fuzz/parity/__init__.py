"""The paper's method beside Optuna's own evaluator, on generated studies with extreme values."""
