"""What do the servers of torch and of JAX have in common: the way out, jobs one after another, files that may change?

Only the standard library: this runs inside the user's Python, before and after the framework is imported.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from typing import Any

from dtlint.trace import sandbox
from dtlint.trace.keeper import kill_below

OUTPUT_TAIL = 16_384
MISSING = 86  # exit status that says: the framework is not here


class Stream:
    """The way out."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def __call__(self, record: dict[str, Any]) -> None:
        data = (json.dumps(record, default=str) + "\n").encode()
        while data:
            data = data[os.write(self.descriptor, data) :]


# (job, scratch directory, stream): runs in a process of its own, in the directory of the job
Play = Callable[[dict[str, Any], str, Stream], None]


def serve(stream: Stream, framework: str, load: Callable[[], str], prepare: Callable[[str], None], play: Play) -> int:
    """Enter the sandbox, import the framework once, run what comes."""
    limits = sandbox.Limits()
    notices = sandbox.enter(limits)
    began = time.monotonic()
    try:
        version = load()
    except ImportError as error:
        stream({"type": "missing", "text": str(error), "python": sys.executable})
        return MISSING
    ready = {"type": "ready", "framework": f"{framework} {version}", "notices": notices, "isolated": not notices}
    stream({**ready, "import_seconds": round(time.monotonic() - began, 3)})
    for number, line in enumerate(sys.stdin.buffer):
        job = json.loads(line)
        prepare(job["script"])
        run_job(job, number, stream, limits, play)
    return 0


def run_job(job: dict[str, Any], number: int, stream: Stream, limits: sandbox.Limits, play: Play) -> None:
    root = os.environ.get("DTLINT_TRACE_ROOT") or tempfile.gettempdir()
    scratch = tempfile.mkdtemp(prefix=f"job{number}-", dir=root)
    began = time.monotonic()
    written = written_to(job)
    private = bool(job.get("private", True)) and _can_be_private(scratch, written, limits)
    child = os.fork()
    if child == 0:
        _coordinate(job, scratch, written if private else None, stream, limits, play)
    deadline = began + float(job["timeout"]) + 10
    while os.waitpid(child, os.WNOHANG)[0] == 0:
        if time.monotonic() > deadline:
            kill_below(os.getpid())
            stream(
                {"type": "outcome", "kind": "inconclusive", "reason": "engine-error", "sentence": "no answer in time"}
            )
            break
        time.sleep(0.004)
    kill_below(os.getpid())
    shutil.rmtree(scratch, ignore_errors=True)
    stream({"type": "job", "number": number, "wall": round(time.monotonic() - began, 3)})


_tried: dict[tuple[str, ...], bool] = {}


def _can_be_private(scratch: str, written: list[str], limits: sandbox.Limits) -> bool:
    key = tuple(written)
    if key not in _tried:
        _tried[key] = sandbox.can_have_private_files(scratch, written, limits)
    return _tried[key]


def written_to(job: dict[str, Any]) -> list[str]:
    """Where a script writes as a matter of course."""
    return sorted({os.path.realpath(name) for name in (tempfile.gettempdir(), job["directory"])})


def _coordinate(
    job: dict[str, Any], scratch: str, written: list[str] | None, stream: Stream, limits: sandbox.Limits, play: Play
) -> None:
    """The process of one job: it forks what runs the script, serves it, tells the outcome. Never returns."""
    try:
        sandbox.process_control(sandbox.SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
        sandbox.process_control(sandbox.SET_CHILD_SUBREAPER, 1)
        _settle(job, scratch, written, stream, limits)
        play(job, scratch, stream)
    except BaseException as error:
        traceback.print_exc()
        text = f"{type(error).__name__}: {error}"
        stream({"type": "outcome", "kind": "inconclusive", "reason": "engine-error", "sentence": text})
    finally:
        kill_below(os.getpid())
        os._exit(0)


def _settle(
    job: dict[str, Any], scratch: str, written: list[str] | None, stream: Stream, limits: sandbox.Limits
) -> None:
    """A home, a temporary directory and a working directory of the job's own."""
    directory = job["directory"]
    if written is not None:
        sandbox.private_files(scratch, written, limits)
    else:
        stream({"type": "notice", "text": "files not isolated: writes outside the temporary directory are possible"})
        directory = os.path.join(scratch, "work")
    folders = {name: os.path.join(scratch, name) for name in ("home", "tmp", "work")}
    for folder in folders.values():
        os.makedirs(folder, exist_ok=True)
    os.environ.update(sandbox.environment(dict(job.get("environment") or ())))
    os.environ.update(HOME=folders["home"], TMPDIR=folders["tmp"])
    tempfile.tempdir = None
    os.chdir(directory)


def tail(path: str) -> str:
    """The last of what a process printed."""
    with contextlib.suppress(OSError), open(path, "rb") as file:
        file.seek(max(0, os.path.getsize(path) - OUTPUT_TAIL))
        return file.read().decode("utf-8", "replace")
    return ""
