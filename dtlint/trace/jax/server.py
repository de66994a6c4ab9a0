"""The process that imports JAX once and then runs one job after another.

Started in the user's Python as `python -m dtlint.trace.jax.server EVENTS_FD`: jobs come as JSON lines on stdin, what
happens goes out as JSON lines on the descriptor. It never uses a device itself: it forks. By hand, with the records on
standard output: `python -m dtlint.trace.jax.server SCRIPT [--ranks N] [--hosts N] [-- ARGUMENTS]`.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import os
import re
import shutil
import signal
import sys
import tempfile
import time
import traceback
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dtlint.trace import sandbox
from dtlint.trace.keeper import kill_below
from dtlint.trace.torch.server import MISSING, Stream, tail, writable_layers

# a script that speaks of processes or hosts is run as several of them
MANY_HOSTS = re.compile(
    r"\b(process_index|process_count|host_id|host_count|multihost_utils|sync_global_devices|process_allgather"
    r"|make_array_from_process_local_data)\b|jax\.distributed\."
)
DEVICES_PER_HOST = 2
LARGEST_SOURCE = 1_000_000


def import_jax() -> str:
    """Everything a rank would otherwise import for itself; no device is touched."""
    import jax
    import jax.experimental.multihost_utils
    import jax.numpy
    import jax.sharding
    import numpy

    for name in ("optax", "flax", "flax.linen", "flax.jax_utils"):
        with contextlib.suppress(Exception):
            __import__(name)
    from dtlint.trace.jax import devices, hosts, programs  # noqa: F401

    assert numpy
    gc.collect()
    gc.freeze()
    return str(jax.__version__)


def serve(stream: Stream) -> int:
    limits = sandbox.Limits()
    notices = sandbox.enter(limits)
    began = time.monotonic()
    version = import_jax()
    ready = {"type": "ready", "framework": f"jax {version}", "notices": notices, "isolated": not notices}
    stream({**ready, "import_seconds": round(time.monotonic() - began, 3)})
    for number, line in enumerate(sys.stdin.buffer):
        run_job(json.loads(line), number, stream, limits)
    return 0


def shape_of(job: dict[str, Any]) -> tuple[int, int]:
    """(hosts, devices of each): one host with all devices unless the program speaks of several."""
    extra = job.get("extra") or {}
    ranks = int(job["ranks"])
    hosts = int(extra.get("hosts") or (ranks if speaks_of_hosts(Path(job["script"])) else 1))
    local = int(extra.get("devices") or (DEVICES_PER_HOST if hosts > 1 else ranks))
    return hosts, local


def speaks_of_hosts(path: Path) -> bool:
    """The script itself, or a module beside it that it may import."""
    beside = sorted(path.parent.glob("*.py"))
    text = _source(path)
    if MANY_HOSTS.search(text):
        return True
    names = set(re.findall(r"^\s*(?:from|import)\s+(\w+)", text, re.MULTILINE))
    return any(other.stem in names and MANY_HOSTS.search(_source(other)) for other in beside)


def _source(path: Path) -> str:
    with contextlib.suppress(OSError):
        return path.read_text("utf-8", "replace")[:LARGEST_SOURCE]
    return ""


def run_job(job: dict[str, Any], number: int, stream: Stream, limits: sandbox.Limits) -> None:
    root = os.environ.get("DTLINT_TRACE_ROOT") or tempfile.gettempdir()
    scratch = tempfile.mkdtemp(prefix=f"job{number}-", dir=root)
    began = time.monotonic()
    layers = writable_layers(job)
    private = bool(job.get("private", True)) and sandbox.can_have_private_files(scratch, layers, limits)
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


def coordinate(
    job: dict[str, Any], scratch: str, layers: list[str] | None, stream: Stream, limits: sandbox.Limits
) -> None:
    """The process of one job: fork what runs the script, serve it, tell the outcome. Never returns."""
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
    hosts, local = shape_of(job)
    if hosts == 1:
        _one_host(job, local, scratch, stream)
    else:
        stream({"type": "notice", "text": f"{hosts} hosts with {local} devices each, played on one machine"})
        _many_hosts(job, hosts, local, scratch, stream)


def _one_host(job: dict[str, Any], local: int, scratch: str, stream: Stream) -> None:
    from dtlint.trace import channel
    from dtlint.trace.jax import devices

    near, far = channel.pair()
    log = os.path.join(scratch, "rank0.log")
    child = os.fork()
    if child == 0:
        os.close(stream.descriptor)
        near.close()
        devices.run(job, far, local, log)
    far.close()
    devices.serve(job, near, child, local, log, stream)


def _many_hosts(job: dict[str, Any], hosts: int, local: int, scratch: str, stream: Stream) -> None:
    from dtlint.trace import channel, coordinator, outcome
    from dtlint.trace.jax import hosts as playing

    pairs = {host: channel.pair() for host in range(hosts)}
    pids = {}
    for host in range(hosts):
        pids[host] = os.fork()
        if pids[host] == 0:
            os.close(stream.descriptor)
            for other, (near, far) in pairs.items():
                near.close()
                if other != host:
                    far.close()
            playing.run(job, pairs[host][1], host, hosts, local, os.path.join(scratch, f"rank{host}.log"))
    for _, far in pairs.values():
        far.close()
    run = coordinator.Coordinator({host: near for host, (near, _) in pairs.items()}, pids, playing.compute, stream)
    run.run(float(job["timeout"]))
    for host, end in sorted(run.ends.items()):
        stream({**end, "type": "end", "output": tail(os.path.join(scratch, f"rank{host}.log"))})
    stream({"type": "outcome", **asdict(outcome.decide(run))})
    if run.dropped:
        stream({"type": "notice", "text": f"{run.dropped} calls beyond the cap are not listed"})


def by_hand(arguments: list[str]) -> int:
    """One script in a sandbox of its own, records on standard output."""
    from dtlint.trace.session import Job, Session

    parser = argparse.ArgumentParser(prog="dtlint.trace.jax.server")
    parser.add_argument("script")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--hosts", type=int, default=0)
    parser.add_argument("--devices", type=int, default=0)
    parser.add_argument("--steps", type=int, default=0)
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--backend", default="auto")
    parser.add_argument("arguments", nargs="*")
    given = vars(parser.parse_args(arguments))
    extra = {name: given.pop(name) for name in ("hosts", "devices", "backend")}
    job = Job(**{**given, "arguments": tuple(given["arguments"])}, engine="jax", extra=extra)
    with Session(sys.executable, __spec__.name, framework="jax") as session:
        result = session.run_as_wanted(job, lambda record: print(json.dumps(record), flush=True))
    return result.exit_code


def main() -> int:
    if len(sys.argv) < 2:
        print("usage: python -m dtlint.trace.jax.server EVENTS_FD | SCRIPT …", file=sys.stderr)
        return 2
    if not sys.argv[1].isdigit():
        return by_hand(sys.argv[1:])
    stream = Stream(int(sys.argv[1]))
    try:
        return serve(stream)
    except ImportError as error:
        stream({"type": "missing", "text": str(error), "python": sys.executable})
        return MISSING


if __name__ == "__main__":
    sys.exit(main())
