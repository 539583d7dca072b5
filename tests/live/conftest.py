"""What tests of feeds share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from condped.live.background import Background


@pytest.fixture(scope="module")
def background() -> Iterator[Background]:
    made = Background()
    yield made
    made.close()
