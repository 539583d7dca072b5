"""Counting: from trials to the few integers that every estimate is made of."""
