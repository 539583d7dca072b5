"""Keras Tuner: project directories, and their hyperparameters as a space."""
