"""The process that imports torch once and then runs one job after another.

Started in the user's Python as `python -m dtlint.trace.torch.server EVENTS_FD`; jobs come as JSON lines on stdin, what
happens goes out as JSON lines on the descriptor. It never runs a torch operation itself: it forks.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback
from dataclasses import asdict
from typing import Any

from dtlint.trace import sandbox
from dtlint.trace.keeper import kill_below

OUTPUT_TAIL = 16_384
MISSING = 86  # exit status that says: no torch here


class Stream:
    """The way out."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def __call__(self, record: dict[str, Any]) -> None:
        data = (json.dumps(record, default=str) + "\n").encode()
        while data:
            data = data[os.write(self.descriptor, data) :]


def import_torch() -> str:
    """Everything a rank would otherwise import for itself."""
    import torch
    import torch.distributed
    import torch.distributed.fsdp
    import torch.multiprocessing
    import torch.nn.parallel
    import torch.optim.optimizer
    import torch.utils.data

    for name in ("torch._dynamo", "torch.distributed.tensor", "torch.distributed.checkpoint", "numpy"):
        with contextlib.suppress(Exception):
            __import__(name)
    from dtlint.trace.torch import arithmetic, program  # noqa: F401

    gc.collect()
    gc.freeze()  # the collector would touch, and so copy, every page of every fork
    return str(torch.__version__)


def serve(stream: Stream) -> int:
    limits = sandbox.Limits()
    notices = sandbox.enter(limits)
    began = time.monotonic()
    version = import_torch()
    ready = {"type": "ready", "framework": f"torch {version}", "notices": notices, "isolated": not notices}
    stream({**ready, "import_seconds": round(time.monotonic() - began, 3)})
    for number, line in enumerate(sys.stdin.buffer):
        run_job(json.loads(line), number, stream, limits)
    return 0


# imported before the fork when a script mentions them: every rank would spend seconds on them
HEAVY = ("accelerate", "lightning", "pytorch_lightning", "torchmetrics", "torchvision", "transformers", "datasets")


def preload(script: str) -> None:
    try:
        with open(script, encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError:
        return
    for name in HEAVY:
        if name in text and name not in sys.modules:
            with contextlib.suppress(BaseException):
                __import__(name)
                gc.freeze()


def run_job(job: dict[str, Any], number: int, stream: Stream, limits: sandbox.Limits) -> None:
    root = os.environ.get("DTLINT_TRACE_ROOT") or tempfile.gettempdir()
    scratch = os.path.join(root, f"job{number}")
    os.mkdir(scratch)
    preload(job["script"])
    began = time.monotonic()
    layers = writable_layers(job)
    private = bool(job.get("private", True)) and _can_be_private(scratch, layers, limits)
    child = os.fork()
    if child == 0:
        coordinate(job, scratch, layers if private else None, stream, limits)
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


def _can_be_private(scratch: str, layers: list[str], limits: sandbox.Limits) -> bool:
    key = tuple(layers)
    if key not in _tried:
        _tried[key] = sandbox.can_have_private_files(scratch, layers, limits)
    return _tried[key]


def writable_layers(job: dict[str, Any]) -> list[str]:
    """Directories the script may believe it writes to, outermost first, none inside another."""
    wanted = {os.path.realpath(tempfile.gettempdir()), "/tmp", os.path.realpath(job["directory"])}
    wanted.add(os.path.realpath(os.path.dirname(job["script"])))
    wanted.discard("/")
    existing = sorted(path for path in wanted if os.path.isdir(path))
    return [path for path in existing if not any(path.startswith(other + "/") for other in existing)]


def coordinate(
    job: dict[str, Any], scratch: str, layers: list[str] | None, stream: Stream, limits: sandbox.Limits
) -> None:
    """The process of one job: fork the ranks, serve them, tell the outcome. Never returns."""
    try:
        sandbox.process_control(sandbox.SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
        sandbox.process_control(sandbox.SET_CHILD_SUBREAPER, 1)
        _coordinate(job, scratch, layers, stream, limits)
    except BaseException as error:
        traceback.print_exc()
        text = f"{type(error).__name__}: {error}"
        stream({"type": "outcome", "kind": "inconclusive", "reason": "engine-error", "sentence": text})
    finally:
        kill_below(os.getpid())
        os._exit(0)


def _coordinate(
    job: dict[str, Any], scratch: str, layers: list[str] | None, stream: Stream, limits: sandbox.Limits
) -> None:
    from dtlint.trace import channel, coordinator, outcome
    from dtlint.trace.torch import arithmetic, program

    directory = job["directory"]
    if layers is not None:
        sandbox.private_files(scratch, layers, limits)
    else:
        stream({"type": "notice", "text": "files not isolated: writes outside the temporary directory are possible"})
        directory = os.path.join(scratch, "work")
    folders = {name: os.path.join(scratch, name) for name in ("home", "tmp", "work")}
    for folder in folders.values():
        os.makedirs(folder, exist_ok=True)
    os.environ.update(HOME=folders["home"], TMPDIR=folders["tmp"])
    tempfile.tempdir = None
    os.chdir(directory)
    ranks = int(job["ranks"])
    pairs = {rank: channel.pair() for rank in range(ranks)}
    pids = {}
    for rank in range(ranks):
        pids[rank] = os.fork()
        if pids[rank] == 0:
            os.close(stream.descriptor)
            for other, (near, far) in pairs.items():
                near.close()
                if other != rank:
                    far.close()
            program.run_rank(job, rank, pairs[rank][1], scratch)
    for _, far in pairs.values():
        far.close()
    channels = {rank: near for rank, (near, _) in pairs.items()}
    run = coordinator.Coordinator(channels, pids, arithmetic.compute, stream)
    run.run(float(job["timeout"]))
    for rank, end in sorted(run.ends.items()):
        stream({**end, "type": "end", "output": tail(os.path.join(scratch, f"rank{rank}.log"))})
    if run.needed:
        stream({"type": "needs", "ranks": run.needed})
    judge = outcome.second_opinion if job.get("engine") == "gloo" else outcome.decide
    stream({"type": "outcome", **asdict(judge(run))})
    if run.dropped:
        stream({"type": "notice", "text": f"{run.dropped} calls beyond the cap are not listed"})


def tail(path: str) -> str:
    with contextlib.suppress(OSError), open(path, "rb") as file:
        file.seek(max(0, os.path.getsize(path) - OUTPUT_TAIL))
        return file.read().decode("utf-8", "replace")
    return ""


def main() -> int:
    if len(sys.argv) < 2:
        print("usage: python -m dtlint.trace.torch.server EVENTS_FD  (started by `dtlint trace`)", file=sys.stderr)
        return 2
    stream = Stream(int(sys.argv[1]))
    try:
        return serve(stream)
    except ImportError as error:
        stream({"type": "missing", "text": str(error), "python": sys.executable})
        return MISSING


if __name__ == "__main__":
    sys.exit(main())
