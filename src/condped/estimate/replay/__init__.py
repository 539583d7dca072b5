"""Replaying a sampler: what its draws of one parameter would have been if that did nothing."""
