"""The real-world benchmarks of the paper: evaluation sets of YAHPO Gym, read from Parquet."""
