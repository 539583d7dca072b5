"""The questions that are asked of trials."""
