"""JSON files with one object, as most tools write them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from condped.errors import DataError
from condped.read.files.regular import regular_bytes


def json_object(path: Path, remedy: str) -> dict[str, Any]:
    """Return the object in a file; an error names the file and ends with the remedy."""
    try:
        found = json.loads(regular_bytes(path))
    except OSError as error:
        raise DataError(
            f"The file {str(path)!r} cannot be read: {error.strerror}. {remedy}"
        ) from error
    except json.JSONDecodeError as error:
        raise DataError(
            f"The file {str(path)!r} is not valid JSON: {error.msg} at line {error.lineno}, column "
            f"{error.colno}. {remedy}"
        ) from error
    except (ValueError, RecursionError) as error:  # not UTF-8, or nested too deeply
        raise DataError(f"The file {str(path)!r} is not valid JSON: {error}. {remedy}") from error
    if not isinstance(found, dict):
        raise DataError(
            f"The file {str(path)!r} must hold a JSON object (got {type(found).__name__}). {remedy}"
        )
    return found
