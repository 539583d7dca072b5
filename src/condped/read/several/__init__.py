"""Several studies: from what people have to sources with names."""
