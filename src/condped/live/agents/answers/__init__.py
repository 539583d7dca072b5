"""What tools answer with: typed, bounded, with the account and the verdicts."""
