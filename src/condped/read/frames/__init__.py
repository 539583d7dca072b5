"""Tables in memory: mappings, records, dataframes."""
