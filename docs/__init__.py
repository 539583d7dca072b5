"""The documentation, and the code that draws its pictures."""
