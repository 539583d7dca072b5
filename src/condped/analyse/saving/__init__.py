"""Results as plain data, in files, and back."""
