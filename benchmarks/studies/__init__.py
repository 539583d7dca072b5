"""Real studies with planted dead parameters: how they were made, kept and loaded."""
