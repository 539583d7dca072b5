"""``condped serve``: pages of running studies that update themselves."""
