"""What is recorded of how trials came about: their sampler, order, times and reports."""
