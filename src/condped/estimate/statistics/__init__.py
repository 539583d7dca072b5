"""Distributions, intervals and rank statistics that several kernels use."""
