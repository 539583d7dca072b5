"""Results as pandas frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd


def frame_of(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> pd.DataFrame:
    """Return records as a frame, with its columns even when there are no rows."""
    return pd.DataFrame(list(rows), columns=list(columns))
