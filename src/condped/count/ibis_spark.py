"""Spark sessions by their URL, for counting through Ibis."""

from __future__ import annotations

import os
import shutil
import tempfile
import warnings
from importlib.util import find_spec
from typing import Any

import ibis

from condped.count.ibis_session import Failing, Session
from condped.errors import MissingLibraryError, SettingsError

_LOCAL = "local"
_DOUBTS_PANDAS = "PySpark does not yet fully support pandas"


def spark_session(url: str) -> Session:
    """Return a session: ``spark://host:port``, ``spark://local`` or ``spark://local[2]``.

    A session that runs already in this process is used, if it has that master, and left running;
    one that is started here ends when the passes are closed.
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
    with warnings.catch_warnings():
        # Nothing goes through pandas but small results.
        warnings.filterwarnings("ignore", _DOUBTS_PANDAS, FutureWarning)
        running = _running()
        if running is None:
            return _started(url, master)
        there = str(running.conf.get("spark.master", ""))
        if there != master and not (url == f"spark://{_LOCAL}" and there.startswith(_LOCAL)):
            raise SettingsError(
                f"A Spark session with the master {there!r} runs in this process, and backend asks "
                f"for {master!r}: a process has one only. Stop that session, or name its master."
            )
        return Session(ibis.pyspark.connect(running), url)


def _running() -> Any:
    """Return the session of this process; None: there is none."""
    from pyspark import SparkContext  # noqa: PLC0415  (slow to load, and not everybody has it)
    from pyspark.sql import SparkSession  # noqa: PLC0415

    active = SparkSession.getActiveSession()
    if active is None and SparkContext._active_spark_context is not None:
        return SparkSession.builder.getOrCreate()  # it was started in another thread
    return active


def _started(url: str, master: str) -> Session:
    """Start a session, which ends with the passes and leaves no folder behind."""
    from pyspark.sql import SparkSession  # noqa: PLC0415

    warehouse = tempfile.mkdtemp(prefix="condped-spark-")
    settings = {
        "spark.ui.enabled": "false",  # no web page, and no bars beside ours
        "spark.ui.showConsoleProgress": "false",
        # It warns, with a page of stack trace, that a pattern of files is no file.
        "spark.log.level": "ERROR",
        "spark.sql.warehouse.dir": warehouse,  # otherwise made in the working directory
    }
    try:
        builder = SparkSession.builder.master(master).appName("condped")
        for name, value in settings.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        backend = ibis.pyspark.connect(session)
    except BaseException:
        shutil.rmtree(warehouse, ignore_errors=True)
        raise

    def end() -> None:
        try:
            session.stop()
        finally:
            shutil.rmtree(warehouse, ignore_errors=True)

    return Session(backend, url, end=end)
