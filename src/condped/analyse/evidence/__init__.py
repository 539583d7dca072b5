"""Which effects are statistically significant, given how the trials were drawn."""
