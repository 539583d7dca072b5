"""Where to start next time: a smaller space, configurations to try first, densities."""
