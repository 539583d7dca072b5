"""A space as JSON, which readers accept."""

from __future__ import annotations

import json
from typing import Any

from condped.analyse.advice.narrow import writable
from condped.space.space import Alternative, Space


def space_json(space: Space) -> str:
    """Return a space as JSON; a fixed number is the only choice of its parameter."""
    entries: dict[str, Any] = {
        name: [Alternative(writable(entry.domain), entry.when) for entry in alternatives]
        for name, alternatives in space.items()
    }
    plain = Space(entries, inferred=True).to_dict()
    return json.dumps(plain, indent=2, ensure_ascii=False, default=str)
