"""Reports in notebooks that can be updated."""
