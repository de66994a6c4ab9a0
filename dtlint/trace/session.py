"""How does dtlint start the sandbox, hand it jobs and read what they say?

    with Session(python, "dtlint.trace.torch.server") as session:
        result = session.run(Job(script, ranks=2))

Used by `dtlint trace`, by `check --verify` and by the bench. Everything below the session is gone when it is closed,
also by an exception, a signal or the death of dtlint itself (see keeper.py).
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any

from dtlint.trace.model import Outcome, Result, add
from dtlint.trace.sandbox import environment
from dtlint.trace.starting import package_of

PACKAGE = Path(__file__).resolve().parent.parent
STREAM_CAP = 512 * 1024 * 1024
START_LIMIT = 180.0
LARGEST_WORLD = 8
# makes `dtlint` importable in the user's Python without putting anything else of our environment on its path
BOOT = """\
import importlib.util, runpy, sys
folder, module = sys.argv[1], sys.argv[2]
found = importlib.util.spec_from_file_location("dtlint", folder + "/__init__.py", submodule_search_locations=[folder])
package = importlib.util.module_from_spec(found)
sys.modules["dtlint"] = package
found.loader.exec_module(package)
sys.argv[:] = sys.argv[2:]
if module.endswith(".py"):
    runpy.run_path(module, run_name="__main__")
else:
    runpy.run_module(module, run_name="__main__", alter_sys=True)
"""


class NotPossible(Exception):
    """The run cannot start: one line that says why and what to do."""


@dataclass(frozen=True)
class Job:
    """One program, run once."""

    script: str
    ranks: int = 2
    per_host: int = 0  # ranks on each pretended host; 0: all on one
    directory: str = ""
    arguments: tuple[str, ...] = ()
    timeout: float = 60.0
    steps: int = 0
    batches: int = 0  # of each pass over a loader; 0: all
    synthetic: bool = False
    absent: tuple[str, ...] = ()  # modules that are not installed and that a stand-in plays
    seed: int = 0
    engine: str = "lockstep"  # or gloo
    patience: float = 5.0  # gloo: seconds a call waits for the others
    pretend_gpus: bool = True
    private: bool = True
    cover: tuple[str, ...] = ()
    turns: bool = False  # ranks run one at a time, from one call that has to wait to the next
    again: bool = False  # the script has run before, briefly, and finds what that left
    inject: dict[str, Any] | None = None
    flip: dict[str, Any] | None = None  # {"path", "line", "rank"}: the first decision there comes out the other way
    refuse: dict[str, Any] | None = None  # {"path", "line"}: the commit asked for there is refused
    slow: dict[str, Any] | None = None  # {"path", "line"}: who comes there first waits until nobody else can go on
    without: tuple[tuple[str, int], ...] = ()  # (path, line): statements left out on all ranks, decisions answered no
    lenient: tuple[tuple[str, int], ...] = ()  # (path, line): calls that are let through where they would fail
    prelude: dict[str, Any] | None = None  # {"rank": 1, "code": …}: run on one rank before the script
    extra: dict[str, Any] | None = None  # for another engine
    module: bool = False  # started with `-m`, as a module of its package
    environment: tuple[tuple[str, str], ...] = ()  # what a launch file sets for it

    def line(self) -> bytes:
        data = asdict(self)
        data["script"] = os.path.abspath(self.script)
        data["package"] = package_of(self.script, self.module)
        data["directory"] = os.path.abspath(self.directory or os.getcwd())
        return (json.dumps(data) + "\n").encode()


class Session:
    """A running server behind its keeper."""

    def __init__(
        self,
        python: str = "",
        module: str = "dtlint.trace.torch.server",
        *,
        framework: str = "torch",
        limit: float = 3600.0,
    ) -> None:
        self.python, self.module, self.framework = python or sys.executable, module, framework
        self.limit = limit
        self.ready: dict[str, Any] = {}
        self.keeper: subprocess.Popen[bytes] | None = None
        self.buffer = b""
        self.received = 0
        self.farewell: dict[str, Any] = {}

    def __enter__(self) -> Session:
        try:
            self._start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _start(self) -> None:
        life_reader, self.life = os.pipe()
        jobs_reader, self.jobs = os.pipe()
        self.events, events_writer = os.pipe()
        command = [self.python, "-c", BOOT, str(PACKAGE), self.module, str(events_writer)]
        config = {
            "command": command,
            "directory": "/",
            "life": life_reader,
            "jobs": jobs_reader,
            "events": events_writer,
            "limit": self.limit,
        }
        try:
            self.keeper = subprocess.Popen(
                [sys.executable, "-I", "-S", str(PACKAGE / "trace" / "keeper.py"), json.dumps(config)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=environment(dict(os.environ)),
                pass_fds=(life_reader, jobs_reader, events_writer),
                start_new_session=True,
            )
        finally:
            for descriptor in (life_reader, jobs_reader, events_writer):
                os.close(descriptor)
        for record in self._records(time.monotonic() + START_LIMIT):
            if record["type"] == "ready":
                self.ready = record
                return
            if record["type"] == "missing":
                raise NotPossible(install_hint(self.framework, str(record.get("python", self.python))))
            if record["type"] == "farewell":
                raise NotPossible(self._why(record))
        raise NotPossible(f"{self.python} did not start in {START_LIMIT:.0f} s")

    def _why(self, record: dict[str, Any]) -> str:
        lines = [line for line in str(record.get("text", "")).strip().splitlines() if line.strip()]
        return f"the traced run could not start in {self.python}: {lines[-1] if lines else 'no message'}"

    def run(self, job: Job, watch: Callable[[dict[str, Any]], None] | None = None) -> Result:
        """Run one job; `watch` sees every record as it arrives."""
        result = Result(job.script, job.ranks, job.engine)
        result.notices.extend(self.ready.get("notices", ()))
        try:
            os.write(self.jobs, job.line())
        except OSError:
            result.outcome = Outcome("inconclusive", "engine-error", "the server is gone")
            return result
        for record in self._records(time.monotonic() + job.timeout + 30):
            add(result, record)
            if watch is not None:
                watch(record)
            match record["type"]:
                case "needs":
                    result.facts.append({"needs": int(record["ranks"])})
                case "job":
                    return result
                case "farewell":
                    result.outcome = Outcome("inconclusive", "engine-error", self._why(record))
                    return result
        result.outcome = Outcome("inconclusive", "timeout", "the run gave no answer")
        return result

    def run_as_wanted(self, job: Job, watch: Callable[[dict[str, Any]], None] | None = None) -> Result:
        """Run with as many ranks as the script insists on, and without pretended GPUs where they were in the way."""
        result = self.run(job, watch)
        wanted = next((fact["needs"] for fact in result.facts if "needs" in fact), 0)
        if wanted and wanted != job.ranks and wanted <= LARGEST_WORLD:
            job = replace(job, ranks=wanted)
            result = self.run(job, watch)
            result.notices.append(f"run with {wanted} ranks, as the script asks")
        while job.synthetic and (name := _missing_module(result)) and name not in job.absent:
            job = replace(job, absent=(*job.absent, name))
            result = self.run(job, watch)
            result.notices += [f"{name} is not installed: a stand-in played it" for name in job.absent]
        # only there are GPUs pretended: real processes and JAX would fail the same way twice
        lockstep = job.engine == "lockstep" and job.pretend_gpus
        if lockstep and result.outcome.reason in ("rank-error", "all-ranks-failed"):
            second = self.run(replace(job, pretend_gpus=False), watch)
            if second.outcome.kind != "inconclusive":
                second.notices.append("run without pretended GPUs: with them the script failed")
                return second
        return result

    def _records(self, deadline: float) -> Iterator[dict[str, Any]]:
        while True:
            line, separator, rest = self.buffer.partition(b"\n")
            if separator:
                self.buffer = rest
                record = _parse(line)
                if record is not None:
                    yield record
                continue
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.events], [], [], left)[0]:
                return
            data = os.read(self.events, 1 << 16)
            self.received += len(data)
            if not data or self.received > STREAM_CAP:
                return
            self.buffer += data

    def close(self) -> None:
        """End everything and wait until it is gone."""
        for name in ("life", "jobs"):
            descriptor = self.__dict__.pop(name, None)
            if descriptor is not None:
                os.close(descriptor)
        if self.keeper is not None:
            descriptor = self.__dict__.get("events")
            while self.keeper.poll() is None:
                # drain, so that nobody below is stuck in a full pipe
                with contextlib.suppress(OSError):
                    if descriptor is not None and select.select([descriptor], [], [], 0.02)[0]:
                        os.read(descriptor, 1 << 16)
            self.keeper = None
        descriptor = self.__dict__.pop("events", None)
        if descriptor is not None:
            os.close(descriptor)


MISSING_MODULE = re.compile(r"ModuleNotFoundError: No module named '(\w+)|ImportError: (TensorBoard) logging requires")


def _missing_module(result: Result) -> str:
    """What every rank wanted to import and could not."""
    found = [MISSING_MODULE.match(end.text) for end in result.ends]
    names = {(match.group(1) or match.group(2).lower()) if match else "" for match in found}
    return names.pop() if len(names) == 1 else ""


def _parse(line: bytes) -> dict[str, Any] | None:
    """The traced program shares our machine, not our trust: anything that is no record is skipped."""
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) and isinstance(record.get("type"), str) else None


def install_hint(framework: str, python: str) -> str:
    command = {"torch": "pip install torch", "jax": "pip install jax"}.get(framework, f"pip install {framework}")
    return f"{python} has no {framework}: `{command}` there, or name another interpreter with --python"
