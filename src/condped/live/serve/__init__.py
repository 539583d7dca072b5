"""``condped serve``: pages of running studies that keep themselves current."""
