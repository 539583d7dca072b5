"""The paper's experiments, run again from one command: ``python -m experiments``."""
