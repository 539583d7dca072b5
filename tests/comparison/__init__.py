"""Tests of condped.comparison."""
