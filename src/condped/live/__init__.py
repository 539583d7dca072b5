"""Studies that are still running: in the browser, in the terminal, for agents."""
