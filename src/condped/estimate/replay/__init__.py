"""Replaying a sampler: its draws of one parameter as if the parameter did nothing."""
