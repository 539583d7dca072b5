"""What to do next: parameters to fix, ranges and choices to narrow, and what to leave."""
