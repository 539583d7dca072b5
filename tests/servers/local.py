"""Servers that tests really start, from Debian's packages; ``make test`` installs them."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pymysql
import pytest
import redis


def program(name: str, package: str) -> str:
    """Return where a server's program is; without it say so loudly, in CI as a failure."""
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")
    if found is None:
        lacking(f"{name} is NOT installed, so nothing was tested here: apt install {package}")
    return found


def lacking(message: str) -> NoReturn:
    """Say what is not there to test with: a failure in CI, where nothing may be left out."""
    if os.environ.get("CI"):
        pytest.fail(message)
    pytest.skip(message)


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


@contextmanager
def running(command: list[str], ready: Callable[[], object]) -> Iterator[None]:
    """Run a server until the block ends; ``ready`` raises until it answers."""
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(150):
            try:
                ready()
                break
            except (OSError, pymysql.Error, redis.RedisError):
                time.sleep(0.2)
        else:
            pytest.fail(f"{command[0]} did not answer within 30 seconds")
        yield
    finally:
        server.terminate()
        server.wait(timeout=30)


@contextmanager
def mariadb(folder: Path) -> Iterator[str]:
    """Run a MariaDB server with an empty database, and yield its URL."""
    daemon = program("mariadbd", "mariadb-server")
    install = program("mariadb-install-db", "mariadb-server")
    data, port = folder / "data", free_port()
    subprocess.run(
        [install, "--no-defaults", f"--datadir={data}", "--skip-test-db",
         "--auth-root-authentication-method=normal"],
        check=True, capture_output=True,
    )  # fmt: skip

    def ready() -> None:
        with pymysql.connect(host="127.0.0.1", port=port, user="root") as connection:
            connection.cursor().execute("CREATE DATABASE IF NOT EXISTS optuna")

    # The server refuses to run as root unless told to, and to become root otherwise.
    as_root = ["--user=root"] if os.geteuid() == 0 else []
    command = [daemon, "--no-defaults", *as_root, f"--datadir={data}", f"--port={port}",
               "--bind-address=127.0.0.1", f"--socket={folder / 's'}",
               f"--pid-file={folder / 'pid'}",
               # What tests write need not survive a power cut.
               "--innodb-flush-log-at-trx-commit=0", "--innodb-flush-method=nosync"]  # fmt: skip
    with running(command, ready):
        yield f"mysql+pymysql://root@127.0.0.1:{port}/optuna"


@contextmanager
def redis_server(folder: Path) -> Iterator[str]:
    """Run a Redis server, and yield its URL."""
    port = free_port()
    url = f"redis://127.0.0.1:{port}/0"
    command = [program("redis-server", "redis-server"), "--port", str(port),
               "--bind", "127.0.0.1", "--dir", str(folder), "--save", ""]  # fmt: skip
    with running(command, lambda: redis.Redis.from_url(url).ping()):
        yield url


@contextmanager
def silent_server() -> Iterator[int]:
    """Listen on a port, and never answer."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]
