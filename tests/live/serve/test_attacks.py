"""What a server must refuse, sent byte by byte to a real one."""

from __future__ import annotations

import logging
import socket
from collections.abc import Iterator

import httpx
import pytest
from starlette.routing import Route

from condped.live.serve import server as server_module
from condped.live.serve.app import app_of
from tests.live.serve.served import Served, read_all, served
from tests.live.studies import run_trials, storage_in

TOKEN = "correct-horse-battery"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> str:
    made = storage_in(tmp_path_factory.mktemp("attacks"))
    run_trials(made, 5)
    return made


@pytest.fixture(scope="module")
def server(url: str) -> Iterator[Served]:
    with served([url]) as found:
        yield found


@pytest.fixture(scope="module")
def guarded(url: str) -> Iterator[Served]:
    with served([url], token=TOKEN) as found:
        yield found


def request(line: str, *headers: str, host: str = "127.0.0.1") -> bytes:
    lines = [line, f"Host: {host}", "Connection: close", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


def test_names_and_origins_of_others_are_refused(server: Served) -> None:
    """A page whose name was pointed at this machine gets nothing, and neither do its scripts."""
    paths = ("/", "/study/tuning", "/study/tuning/events", "/study/tuning/data.json", "/events")
    for path in paths:
        line = f"GET {path} HTTP/1.1"
        rebound = server.raw(request(line, host=f"evil.example:{server.port}"))
        foreign = server.raw(request(line, "Origin: http://evil.example"))
        assert (status(rebound), status(foreign)) == (403, 403)
        assert b"tuning" not in rebound.lower().partition(b"\r\n\r\n")[2]
        assert b"access-control" not in rebound.lower() + foreign.lower()
    own = request("GET / HTTP/1.1", f"Origin: http://127.0.0.1:{server.port}",
                  host=f"127.0.0.1:{server.port}")  # fmt: skip
    assert status(server.raw(own)) == 303


def test_everything_asks_for_the_token(guarded: Served) -> None:
    """Without it not even a missing page can be told from one that is there."""
    for path in ("/", "/events", "/study/tuning", "/study/tuning/events",
                 "/study/tuning/data.json", "/nothing"):  # fmt: skip
        assert guarded.get(path).status_code == 401
        assert guarded.get(path, headers={"authorization": "Bearer wrong"}).status_code == 401
        assert guarded.get(f"{path}?token=wrong").status_code == 401
    bearer = {"authorization": f"Bearer {TOKEN}"}
    assert guarded.get("/study/tuning", headers=bearer).status_code == 200


def test_the_address_with_the_token_opens_the_page(guarded: Served) -> None:
    """A browser that was given the token goes on with a cookie and addresses without it."""
    with httpx.Client(base_url=guarded.url, timeout=60, follow_redirects=True) as browser:
        page = browser.get(f"/?token={TOKEN}")
        assert (page.status_code, page.url.path, page.url.query) == (200, "/study/tuning", b"")
        assert TOKEN not in page.text
        (cookie,) = browser.cookies.jar
        assert cookie.has_nonstandard_attr("HttpOnly")
        assert cookie.get_nonstandard_attr("SameSite") == "Strict"
        assert browser.get("/study/tuning/data.json").status_code == 200


@pytest.mark.parametrize(
    "path",
    ["/../etc/passwd", "/study/../../etc/passwd", "/study/%2e%2e", "/study/%2e%2e%2f%2e%2e%2fetc",
     "/study/..%5c..%5cetc", "/study/tuning%00", "/%00", "/study/tuning/events/../../x",
     "/study//tuning", "//study/tuning", "/study/sqlite:%2f%2f%2ftmp%2fx.db", "/study/",
     "/study/tuning/data.jsonx", "/static/x", "/.git/config", "/study/%ff%fe", "/study/{id}",
     "/docs", "/openapi.json", "/study/tuning;x", "/STUDY/tuning"],
)  # fmt: skip
def test_other_paths_lead_nowhere(server: Served, path: str) -> None:
    """Nothing but the listed studies is found, however a path is written."""
    answer = server.raw(request(f"GET {path} HTTP/1.1"))

    assert status(answer) == 404
    assert b"root:" not in answer


@pytest.mark.parametrize(
    "method",
    ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "X" * 40],
)
def test_only_reading_is_possible(server: Served, method: str) -> None:
    """Every other method is refused at every address, with and without a body."""
    for path in ("/", "/events", "/study/tuning", "/study/tuning/events"):
        answer = server.raw(request(f"{method} {path} HTTP/1.1"))
        assert status(answer) == 405
        assert b"allow: GET, HEAD" in answer
        body = request(f"{method} {path} HTTP/1.1", "Content-Length: 4") + b"drop"
        assert status(server.raw(body)) in (405, 413)


def test_no_route_takes_anything_but_get_and_head(server: Served) -> None:
    """A scan of the application finds no handler that could write."""
    app = app_of(server.catalogue)

    assert app.routes
    for route in app.routes:
        assert isinstance(route, Route)
        assert route.methods == {"GET", "HEAD"}
    assert not app.user_middleware


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"a" * 20_000 + b"\r\n\r\n", (400, 431)),
        (b"GET /" + b"a" * 60_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", (400, 414)),
        (b"GET /?" + b"a" * 3_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", (414,)),
        (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n" + b"A: b\r\n" * 300 + b"\r\n", (431,)),
        (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9999999999\r\n\r\n", (413,)),
        (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"
         b"ffff\r\n" + b"a" * 65535 + b"\r\n0\r\n\r\n", (413,)),
    ],
)  # fmt: skip
def test_what_is_too_large_is_refused(
    server: Served, sent: bytes, expected: tuple[int, ...]
) -> None:
    """Addresses, headers and bodies have limits."""
    assert status(server.raw(sent)) in expected


@pytest.mark.parametrize(
    "sent",
    [
        b"\x00\x01\x02\x03\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 40,
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost 127.0.0.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n folded: yes\r\n\x00: b\r\n\r\n",
        b"GET /\xff\xfe HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    ],
)
def test_what_is_malformed_is_refused(server: Served, sent: bytes) -> None:
    """Bytes that are no valid request end in a refusal, and the server goes on."""
    assert status(server.raw(sent)) in (400, 403, 505)
    assert server.get("/study/tuning/data.json").status_code == 200


def test_requests_that_do_not_come_are_given_up(
    url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Connections that say nothing, or a letter now and then, are closed; others are served."""
    monkeypatch.setattr(server_module, "_HEAD_PATIENCE", 0.5)
    with served([url]) as server, caplog.at_level(logging.WARNING):
        slow = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(20)]
        for place, connection in enumerate(slow[1:]):
            connection.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"[: place + 1])
        kept = socket.create_connection(("127.0.0.1", server.port))
        kept.sendall(b"GET /x HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert status(kept.recv(65536)) == 404
        kept.sendall(b"GET / HT")  # and no more
        assert server.get("/study/tuning/data.json").status_code == 200
        for connection in slow:
            assert read_all(connection) == b""
            connection.close()
        assert b"HTTP" not in read_all(kept)
        kept.close()
    assert "no request arrived in time" in caplog.text


def test_connections_are_bounded(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the limit connections are closed at once, and there is room again afterwards."""
    monkeypatch.setattr(server_module, "_MOST_CONNECTIONS", 5)
    with served([url]) as server:
        some = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(5)]
        with socket.create_connection(("127.0.0.1", server.port)) as another:
            assert read_all(another) == b""
        for connection in some:
            connection.close()
        while True:
            try:
                assert server.get("/study/tuning").status_code == 200
                break
            except httpx.TransportError:
                continue


def test_logs_hold_no_secrets(guarded: Served, caplog: pytest.LogCaptureFixture) -> None:
    """Tokens, right and nearly right, and cookies appear in no log of any library."""
    with caplog.at_level(logging.DEBUG):
        for query in (f"?token={TOKEN}", f"?token={TOKEN}x"):
            guarded.raw(request(f"GET /study/tuning{query} HTTP/1.1"))
        guarded.raw(request("GET /study/tuning HTTP/1.1", f"Authorization: Bearer {TOKEN}"))
        guarded.raw(request("GET / HTTP/1.1", f"Authorization: Bearer {TOKEN}x"))

    assert "a wrong token in the URL" in caplog.text
    assert TOKEN not in caplog.text


def test_websockets_are_refused(server: Served, caplog: pytest.LogCaptureFixture) -> None:
    """There is no other protocol to switch to, nor a library for it to install."""
    upgrade = request("GET /events HTTP/1.1", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
                      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")  # fmt: skip
    sent = upgrade.replace(b"Connection: close", b"Connection: Upgrade")
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(sent)
        assert status(connection.recv(65536)) != 101
    assert "Ignored a request to change the protocol." in caplog.text
    assert "install" not in caplog.text


def test_whoever_takes_nothing_is_cut_off(
    url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A connection whose answers nobody reads is closed, and holds up no other one meanwhile."""
    monkeypatch.setattr(server_module, "_TAKE_PATIENCE", 0.5)
    monkeypatch.setattr(logging.getLogger("condped.live"), "disabled", False)
    wanted = request("GET /study/tuning HTTP/1.1").replace(b"Connection: close\r\n", b"")
    with served([url]) as server, caplog.at_level(logging.INFO, "condped.live"):
        stuck = socket.socket()
        stuck.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        stuck.settimeout(60)
        stuck.connect(("127.0.0.1", server.port))
        cut_off = False
        for _ in range(2_000):  # many more pages than all buffers hold
            try:
                stuck.sendall(wanted)
            except ConnectionError:
                cut_off = True
                break
            assert server.get("/study/tuning/data.json").status_code == 200
        stuck.close()
        assert cut_off
    assert "read nothing" in caplog.text
