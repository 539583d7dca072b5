"""Terms of access, request by request; tests/live/serve asks a real server."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from condped.errors import SettingsError
from condped.live.terms import is_loopback, terms_of
from tests.live.asking import HOST, SECRET, ask

TOKEN = "correct-horse-battery"
HERE = terms_of("127.0.0.1")
WITH_TOKEN = terms_of("127.0.0.1", token=TOKEN)


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("127.0.0.1:8765", True),
        ("localhost:8765", True),
        ("LOCALHOST:8765", True),
        ("localhost", True),
        ("localhost.:8765", True),
        ("[::1]:8765", True),
        ("evil.example:8765", False),
        ("127.0.0.1.evil.example", False),
        ("localhost.evil.example:8765", False),
        ("192.0.2.7:8765", False),
        ("0.0.0.0:8765", False),
        ("[::ffff:127.0.0.1]:8765", False),
    ],
)
def test_only_names_of_the_server_are_answered(host: str, allowed: bool) -> None:
    """A name that somebody else's DNS leads here is refused before the application is asked."""
    answer = ask(HERE, headers={"host": host})

    assert answer.status == (200 if allowed else 403)
    assert len(answer.calls) == allowed


@pytest.mark.parametrize(
    "hosts",
    [[], ["127.0.0.1", "127.0.0.1"], ["127.0.0.1", "evil.example"], [""],
     ["127.0.0.1@evil.example"], ["127.0.0.1:8765/path"], ["127.0.0.1:port"], ["local host"],
     ["127.0.0.1,evil.example"]],
)  # fmt: skip
def test_a_request_has_exactly_one_valid_host(hosts: list[str]) -> None:
    """No Host, two of them, and what is none are refused."""
    answer = ask(HERE, headers=[("host", host) for host in hosts])

    assert answer.status == 400
    assert not answer.calls


def test_other_names_are_allowed_by_name_only() -> None:
    """--allow-host adds one name, and a name for others asks for a token."""
    terms = terms_of("127.0.0.1", allow_hosts=["Tuning.example.org"])

    assert terms.token is not None
    bearer = {"authorization": f"Bearer {terms.token}"}
    assert ask(terms, headers={"host": "tuning.example.org"} | bearer).status == 200
    assert ask(terms, headers={"host": "tuning.example.org"}).status == 401
    assert ask(terms, headers={"host": "other.example.org"} | bearer).status == 403


def test_a_server_at_all_addresses_goes_by_the_one_that_was_connected_to() -> None:
    """With 0.0.0.0 the address that a connection came to is a name of the server."""
    terms = terms_of("0.0.0.0", token=TOKEN)
    bearer = {"authorization": f"Bearer {TOKEN}"}

    assert ask(terms, headers={"host": "192.0.2.7:8765"} | bearer).status == 200
    assert ask(terms, headers={"host": "192.0.2.8:8765"} | bearer).status == 403


@pytest.mark.parametrize("host", ["[2001:db8::1]", "2001:DB8:0:0::1", "2001:db8::1"])
def test_an_address_may_be_written_in_several_ways(host: str) -> None:
    """With or without brackets and zeros, a server at an IPv6 address answers requests to it."""
    terms = terms_of(host, token=TOKEN, allow_hosts=["[2001:DB8::0:2]"])
    bearer = {"authorization": f"Bearer {TOKEN}"}

    for own in ("[2001:db8::1]:8765", "[2001:DB8:0::1]", "[2001:db8::2]:8765"):
        assert ask(terms, headers={"host": own} | bearer).status == 200
    assert ask(terms, headers={"host": "[2001:db8::3]:8765"} | bearer).status == 403


def test_a_server_at_all_addresses_of_ipv6_answers_clients_of_ipv4() -> None:
    """Their connections come to a mapped address, which they name without the mapping."""
    terms = terms_of("::", token=TOKEN)
    headers = {"host": "192.0.2.7:8765", "authorization": f"Bearer {TOKEN}"}

    assert ask(terms, headers=headers, server="::ffff:192.0.2.7").status == 200
    assert ask(terms, headers=headers, server="::ffff:192.0.2.8").status == 403
    own = headers | {"host": "[2001:db8:0::1]:8765"}
    assert ask(terms, headers=own, server="2001:db8::1").status == 200


@pytest.mark.parametrize(
    ("origin", "allowed"),
    [
        ("http://127.0.0.1:8765", True),
        ("https://127.0.0.1:8765", True),
        ("http://evil.example", False),
        ("http://127.0.0.1:3000", False),
        ("http://localhost:8765", False),
        ("null", False),
        ("", False),
        ("file://", False),
        ("http://127.0.0.1:8765@evil.example", False),
        ("http://[", False),
    ],
)
def test_pages_of_other_servers_are_refused(origin: str, allowed: bool) -> None:
    """Only the server's own pages may ask, not even those of another port of this machine."""
    answer = ask(HERE, headers=HOST | {"origin": origin})

    assert answer.status == (200 if allowed else 403)
    assert len(answer.calls) == allowed


@pytest.mark.parametrize(
    ("site", "mode", "allowed"),
    [
        ("same-origin", "cors", True),
        ("none", "navigate", True),
        ("cross-site", "navigate", True),
        ("cross-site", "no-cors", False),
        ("same-site", "no-cors", False),
        ("cross-site", "websocket", False),
    ],
)
def test_scripts_and_pictures_of_other_pages_are_refused(
    site: str, mode: str, allowed: bool
) -> None:
    """Requests without an origin are told apart by what the browser says of where they are from."""
    answer = ask(HERE, headers=HOST | {"sec-fetch-site": site, "sec-fetch-mode": mode})

    assert answer.status == (200 if allowed else 403)


def test_a_token_is_needed_and_compared_whole() -> None:
    """Without the token, and with a wrong one in any place, nothing is answered."""
    wrong = [
        {},
        {"authorization": f"Bearer {TOKEN}x"},
        {"authorization": f"Bearer {TOKEN[:-1]}"},
        {"authorization": "Bearer "},
        {"authorization": f"Basic {TOKEN}"},
        {"authorization": "Bearer \xff\xfe"},
        {"cookie": f"condped={TOKEN}"},
        {"cookie": TOKEN},
    ]
    for headers in wrong:
        answer = ask(WITH_TOKEN, headers=HOST | headers)
        assert (answer.status, answer.calls) == (401, [])
        assert answer.headers["www-authenticate"].startswith("Bearer")
    assert ask(WITH_TOKEN, query="token=wrong").status == 401
    assert ask(WITH_TOKEN, headers=HOST | {"authorization": f"Bearer {TOKEN}"}).status == 200


def test_a_token_in_the_address_becomes_a_cookie() -> None:
    """The address is left for one without the token; scripts cannot read the cookie."""
    answer = ask(WITH_TOKEN, "/study/1", query=f"a=1&token={TOKEN}&b=%26")

    assert answer.status == 303
    assert answer.headers["location"] == "/study/1?a=1&b=%26"
    cookie, *attributes = answer.headers["set-cookie"].split("; ")
    assert set(attributes) == {"Path=/", "HttpOnly", "SameSite=Strict"}
    assert TOKEN not in cookie
    assert not answer.calls
    assert ask(WITH_TOKEN, headers=HOST | {"cookie": f"other=1; {cookie}"}).status == 200
    assert ask(WITH_TOKEN, headers=HOST | {"cookie": f"{cookie[:-1]}x"}).status == 401
    other = terms_of("127.0.0.1", token=TOKEN[::-1])
    assert ask(other, headers=HOST | {"cookie": cookie}).status == 401


def test_a_link_on_another_site_leads_on_from_a_page_of_the_server() -> None:
    """A strict cookie does not survive a redirection that another site has begun."""
    headers = HOST | {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    answer = ask(WITH_TOKEN, "/study/1", query=f"token={TOKEN}", headers=headers)

    assert (answer.status, answer.headers["refresh"]) == (200, "0; url=/study/1")
    assert "set-cookie" in answer.headers


@pytest.mark.parametrize("path", ["//evil.example/", "/\\evil.example", "///evil.example"])
def test_a_token_leads_to_no_other_server(path: str) -> None:
    """Where the way on would begin with two slashes, they become one."""
    answer = ask(WITH_TOKEN, path, query=f"token={TOKEN}")

    assert answer.headers["location"].startswith("/evil.example")


@pytest.mark.parametrize(
    "method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"]
)
def test_methods_that_could_write_are_refused(method: str) -> None:
    """Only GET and HEAD are answered unless the application knows more."""
    answer = ask(HERE, method=method)

    assert (answer.status, answer.calls) == (405, [])
    assert answer.headers["allow"] == "GET, HEAD"


def test_bodies_are_bounded_however_they_come() -> None:
    """Declared and undeclared bodies are refused beyond the limit, and handed over within it."""
    post: dict[str, Any] = {"method": "POST", "methods": ("GET", "POST"), "most_body": 10}
    declared = ask(HERE, headers=HOST | {"content-length": "11"}, body=[b"x" * 11], **post)
    chunked = HOST | {"transfer-encoding": "chunked"}
    too_much = ask(HERE, headers=chunked, body=[b"x" * 6, b"x" * 6], **post)
    fits = ask(HERE, headers=chunked, body=[b"12345", b"67890"], **post)
    odd = ask(HERE, headers=HOST | {"content-length": "9" * 5000}, **post)

    assert [declared.status, too_much.status, odd.status, fits.status] == [413, 413, 413, 200]
    assert fits.calls[0]["body"] == b"1234567890"
    assert ask(HERE, headers=HOST | {"content-length": "1"}, body=[b"x"]).status == 413
    half = ask(HERE, headers=HOST | {"content-length": "5"}, **post)
    assert (half.status, half.calls) == (400, [])


def test_long_addresses_and_headers_are_refused() -> None:
    """URLs and headers have limits."""
    assert ask(HERE, "/" + "a" * 3000).status == 414
    assert ask(HERE, query="a" * 3000).status == 414
    assert ask(HERE, headers=HOST | {"cookie": "a" * 20_000}).status == 431
    assert ask(HERE, headers=HOST | {f"x-{n}": "" for n in range(200)}).status == 431


@pytest.mark.parametrize("path", ["/", "/broken"])
def test_every_answer_has_the_headers(path: str) -> None:
    """Answers, refusals and failures carry the same strict headers."""
    answers = [ask(HERE, path), ask(HERE, path, headers={"host": "evil.example"}),
               ask(WITH_TOKEN, path), ask(WITH_TOKEN, path, query=f"token={TOKEN}")]  # fmt: skip
    for answer in answers:
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cross-origin-opener-policy"] == "same-origin"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert answer.headers["cache-control"] == "no-store"
        assert "server" not in answer.headers


def test_logs_tell_refusals_and_no_secrets(caplog: pytest.LogCaptureFixture) -> None:
    """Refusals are logged on one line each, without tokens, and failures without what they say."""
    with caplog.at_level(logging.DEBUG, "condped"):
        ask(WITH_TOKEN, query=f"token={TOKEN}-nearly")
        ask(WITH_TOKEN, headers=HOST | {"authorization": f"Bearer {TOKEN}-nearly"})
        ask(WITH_TOKEN, query=f"token={TOKEN}")
        ask(HERE, "/a\r\nGranted: yes\x1b[31m", headers={"host": "evil.example"})
        failed = ask(HERE, "/broken")

    assert (failed.status, failed.body) == (500, b"Internal server error.\n")
    records = [record for record in caplog.records if record.name.startswith("condped")]
    assert len(records) == 4
    assert TOKEN not in caplog.text
    assert SECRET not in caplog.text
    assert "asking.py" in records[-1].getMessage()  # where it happened
    for record in records[:3]:
        assert record.getMessage().startswith("Refused GET /")
        assert record.getMessage().isprintable()


def test_terms_that_make_no_sense_are_refused() -> None:
    """Short tokens, and hosts with a scheme or a port, are refused at the start."""
    with pytest.raises(SettingsError, match="at least 16"):
        terms_of("127.0.0.1", token="short")
    with pytest.raises(SettingsError, match="no spaces"):
        terms_of("127.0.0.1", token="a token with spaces in it")
    for host in ("http://tuning.example", "tuning.example:80", "*", ""):
        with pytest.raises(SettingsError, match="without scheme"):
            terms_of("127.0.0.1", allow_hosts=[host])


def test_addresses_of_this_machine_only_need_no_token() -> None:
    """Whatever others can reach has a token of its own at each start."""
    assert all(map(is_loopback, ("127.0.0.1", "127.8.8.8", "::1", "[::1]", "localhost")))
    for host in ("0.0.0.0", "::", "192.0.2.7", "tuning.example"):
        assert not is_loopback(host)
        tokens = {terms_of(host).token for _ in range(2)}
        assert len(tokens) == 2
        assert all(token is not None and len(token) >= 40 for token in tokens)
