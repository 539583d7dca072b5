"""A space as code for other tools: a module per tool, and what they share."""
