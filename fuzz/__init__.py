"""Campaigns against hostile inputs and faults: ``python -m fuzz --help``."""

import os

# Before numpy is imported: processes with several threads must not be forked.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
