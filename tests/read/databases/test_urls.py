"""URLs with passwords of all kinds: understood, and never shown."""

from __future__ import annotations

from urllib.parse import unquote

import pytest

import condped
from condped.errors import CondpedError, SettingsError
from condped.read.databases.urls import split_url, without_password
from condped.read.optuna import storage as optuna_storage

PASSWORDS = ["secret", "se@cret", "se/cret", "se?cret", "se#cret", "se:cret", "s%40cret", "%", "[x"]


@pytest.mark.parametrize("password", PASSWORDS)
def test_a_password_of_any_signs_is_understood_and_not_shown(password: str) -> None:
    """Percent-encoded or not, as people write them."""
    url = f"postgresql+psycopg://me:{password}@host:5432/database?sslmode=require"
    parts = split_url(url)
    assert (parts.hostname, parts.port, parts.path) == ("host", 5432, "/database")
    assert (parts.username, unquote(parts.password or "")) == ("me", unquote(password))
    assert parts.query == "sslmode=require"
    assert without_password(url) == "postgresql+psycopg://me@host:5432/database"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("mysql://host/database", "mysql://host/database"),
        ("mysql://host:3306/database?x=a@b", "mysql://host:3306/database"),
        ("redis://:secret@host/0", "redis://@host/0"),
        ("postgresql:///database?host=/run", "postgresql:///database"),
    ],
)
def test_urls_without_a_login_stay_as_they_are(url: str, shown: str) -> None:
    """A sign in their options is no login."""
    assert without_password(url) == shown


@pytest.mark.parametrize("scheme", ["postgresql", "Postgresql", "mysql", "redis", "grpc", "oracle"])
@pytest.mark.parametrize("password", PASSWORDS)
@pytest.mark.parametrize("place", ["127.0.0.1:1/database", "127.0.0.1:x/database"])
def test_no_error_shows_a_password(
    scheme: str, password: str, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether nobody listens, the port is none, or no reader knows the scheme."""
    monkeypatch.setattr(optuna_storage, "_WAIT", 0.1)
    with pytest.raises(CondpedError) as caught:
        condped.read(f"{scheme}://me:{password}@{place}")
    assert len(password) < 3 or password not in str(caught.value)
    assert "cret" not in str(caught.value)


def test_a_port_that_is_none_is_refused() -> None:
    """With how a URL is written."""
    with pytest.raises(SettingsError, match=r"scheme://user:password@host:port/database"):
        split_url("mysql://me:secret@host:port/database")
