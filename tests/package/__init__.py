"""The package: its distributions, its files for other tools, its names."""
