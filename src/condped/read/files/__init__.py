"""Tables in files: CSV, JSON, Parquet, Arrow."""
