"""A running study in the terminal: ``condped watch``."""
