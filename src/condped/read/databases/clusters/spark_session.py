"""Spark sessions by their URL: one that runs already, or one that is started and ended here."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from py4j.protocol import Py4JError
from pyspark import SparkConf, SparkContext, java_gateway
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from condped.errors import DataError, SettingsError

# Raised by failed queries, and if Java has ended.
SPARK_ERRORS = (PySparkException, Py4JError, OSError)
_LOCAL = "local"
_WAIT = 30  # seconds for Java to end
# Sessions that were started here and still run.
_sessions: WeakKeyDictionary[Any, _StartedSession] = WeakKeyDictionary()


@dataclass(slots=True, eq=False)
class _StartedSession:
    """A session that was started here: what ends it, and how many users it has."""

    ending: ExitStack
    users: int = 0

    def use(self) -> Callable[[], None]:
        """Return a function to call, once or more often, when the session is no longer needed."""
        self.users += 1
        user = ExitStack()
        user.callback(self._leave)
        return user.close

    def _leave(self) -> None:
        self.users -= 1
        if not self.users:
            self.ending.close()


def spark_session(url: str) -> tuple[Any, Callable[[], None]]:
    """Return the session with a master (``spark://host:port``, ``spark://local[2]``).

    Also return a function to call when it is no longer needed, which ends a session started here.
    """
    place = url.partition("://")[2]
    local = place.startswith(_LOCAL)
    master = ("local[*]" if place == _LOCAL else place) if local else url
    running = SparkSession.getActiveSession()
    if running is None and SparkContext._active_spark_context is not None:
        running = SparkSession.builder.getOrCreate()  # it was started in another thread
    if running is None:
        running = _start_session(master, local=local)
        return running, _sessions[running].use()
    there = str(running.conf.get("spark.master", ""))
    if there != master and not (place == _LOCAL and there.startswith(_LOCAL)):
        raise SettingsError(
            f"A Spark session with the master {there!r} runs in this process, but backend "
            f"names {master!r}: a process can have only one. Stop that session, or name its master."
        )
    started = _sessions.get(running)
    return running, (lambda: None) if started is None else started.use()


def _start_session(master: str, *, local: bool) -> Any:
    """Start a session that leaves neither a folder nor a process behind."""
    if not os.environ.get("JAVA_HOME") and shutil.which("java") is None:
        raise SettingsError(
            "Spark needs Java, which was not found. Install Java 17 or newer, or set "
            "JAVA_HOME to where it is."
        )
    folder = tempfile.mkdtemp(prefix="condped-spark-")
    ending = ExitStack()
    ending.callback(shutil.rmtree, folder, ignore_errors=True)
    settings = {
        "spark.master": master,
        "spark.app.name": "condped",
        "spark.ui.enabled": "false",  # no web page, and no bars beside ours
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",  # failures raise errors
        "spark.sql.warehouse.dir": folder,  # otherwise made in the working directory
        "spark.local.dir": folder,
    }
    try:
        conf = SparkConf(loadDefaults=False).setAll(list(settings.items()))
        gateway = SparkContext._gateway
        if gateway is None:
            # Java prints warnings before any setting is read.
            launch: Any = java_gateway.launch_gateway
            gateway = launch(conf, {"stderr": subprocess.DEVNULL})
            ending.callback(_end_java, gateway)
        context = SparkContext(conf=SparkConf().setAll(list(settings.items())), gateway=gateway)
        if local and "PYSPARK_PYTHON" not in os.environ:
            context.pythonExec = sys.executable  # any python3 may lack condped
        session = SparkSession.builder.getOrCreate()
        ending.callback(_stop, session)
    except SPARK_ERRORS as error:
        ending.close()
        said = next(iter(str(error).splitlines()), type(error).__name__).rstrip(".")
        raise DataError(
            f"No Spark session with the master {master!r} could be started: {said}. Check that "
            "the master can be reached, and that Java is 17 or newer."
        ) from None
    except BaseException:
        ending.close()
        raise
    _sessions[session] = _StartedSession(ending)
    return session


def _stop(session: Any) -> None:
    with suppress(*SPARK_ERRORS):  # its Java may have ended before
        session.stop()


def _end_java(gateway: Any) -> None:
    """End the Java process that a session ran in, which would live as long as this process."""
    with suppress(*SPARK_ERRORS):
        gateway.shutdown()
    gateway.proc.stdin.close()
    gateway.proc.wait(_WAIT)
    SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
    SparkSession._instantiatedSession = None
