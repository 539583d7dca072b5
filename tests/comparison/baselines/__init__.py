"""Tests of condped.baselines."""
