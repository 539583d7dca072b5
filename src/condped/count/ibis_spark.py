"""Spark sessions by their URL, for counting through Ibis."""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec
from typing import Any

import ibis

from condped.count.ibis_session import Failing, Session
from condped.errors import MissingLibraryError, SettingsError

_LOCAL = "local"


def spark_session(url: str) -> Session:
    """Return a session: ``spark://host:port``, ``spark://local`` or ``spark://local[2]``.

    A session that runs already in this process is used and left running; one that is started here
    ends when the passes are closed.
    """
    if find_spec("pyspark") is None:
        raise MissingLibraryError(feature="Counting in Spark", library="pyspark", extra="spark")
    if not os.environ.get("JAVA_HOME") and shutil.which("java") is None:
        raise SettingsError(
            "Spark needs Java, which is not on this machine. Install Java 17 or newer, or set "
            "JAVA_HOME to where it is."
        )
    place = url.partition("://")[2]
    local = place.startswith(_LOCAL)
    master = ("local[*]" if place == _LOCAL else place) if local else url
    with Failing(Session(_Nobody(), url), "starting a session"):
        return _connected(url, master)


class _Nobody:
    """Stands for Spark before there is a session."""

    name = "pyspark"


def _connected(url: str, master: str) -> Session:
    from pyspark.sql import SparkSession  # noqa: PLC0415  (slow to load, and not everybody has it)

    running: Any = SparkSession.getActiveSession()
    if running is None:
        builder = SparkSession.builder.master(master).appName("condped")
        # No web page and no bars beside ours.
        builder = builder.config("spark.ui.enabled", "false")
        session = builder.config("spark.ui.showConsoleProgress", "false").getOrCreate()
        backend = ibis.pyspark.connect(session)
        return Session(backend, url, end=session.stop)
    return Session(ibis.pyspark.connect(running), url)
