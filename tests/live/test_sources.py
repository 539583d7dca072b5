"""What is shown of sources, and how they are opened."""

from __future__ import annotations

import pytest

from condped.live.sources import without_passwords
from condped.live.terminal.snapshot import name_of

PASSWORDS = (
    "secret", "se/cret", "se?cret", "se cret", "se@cret", "se#cret", "se'cret", 'se"cret',
    "se:cret", "se?c=r@et", "se\ncret", "se@c?ret", "5432/se@cret", "se%20cret", "se&cret",
    "se,cret", "se(cret", "secret@", "?secret", "@secret", "se://cret",
)  # fmt: skip


@pytest.mark.parametrize("password", PASSWORDS)
@pytest.mark.parametrize(
    "message", ["{}", "No answer from {}.", "'{}' is locked; sqlite:///b.db is not.", "tuning={}"]
)
@pytest.mark.parametrize(
    "url",
    ["postgresql://me:{}@host/studies", "postgresql://me:{}@host:5432/studies?sslmode=require",
     "redis://:{}@host", "mysql://me@host/studies?a=1&password={}",
     "mysql://me:x@host/studies?password={}", "mysql://host:3306/studies?password={}"],
)  # fmt: skip
def test_no_part_of_a_password_is_shown(password: str, url: str, message: str) -> None:
    """Whatever signs a password holds, neither its beginning nor its end appears."""
    shown = without_passwords(message.format(url.format(password)))

    assert "cret" not in shown
    assert "se" not in shown.replace("postgresql", "")
    assert shown.startswith(message.partition("{")[0])


def test_urls_without_a_password_stay_as_they_are() -> None:
    """What helps to find a source is kept."""
    for text in (
        "sqlite:////data/study.db is locked",
        "No answer from postgresql://me@host:5432/studies.",
        "mysql://host:3306/studies, redis://host/0",
        "x: 3 @ y",
    ):
        assert without_passwords(text) == text
    two = "postgresql://a:b@c/d and mysql://e:f@g/h"
    assert without_passwords(two) == "postgresql://a@c/d and mysql://e@g/h"


@pytest.mark.parametrize("password", PASSWORDS)
def test_the_terminal_shows_no_password(password: str) -> None:
    """The name of a watched study is hidden by the same rule."""
    shown = name_of(f"postgresql://me:{password}@host/studies", "tuning")

    assert shown.startswith("tuning · postgresql://me@")
    assert "cret" not in shown
