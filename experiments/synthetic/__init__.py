"""Figures 1–4 and 6–14: the paper's synthetic problems."""
