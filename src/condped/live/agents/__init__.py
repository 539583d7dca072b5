"""Tools for agents, by the Model Context Protocol: read-only, about the given sources only."""
