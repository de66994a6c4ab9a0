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
import sys
from dataclasses import asdict
from typing import Any

from dtlint.trace.jax.shape import shape_of
from dtlint.trace.serving import Stream, serve, tail


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


def play(job: dict[str, Any], scratch: str, stream: Stream) -> None:
    """Fork what runs the script, serve it, tell the outcome."""
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
    return serve(Stream(int(sys.argv[1])), "jax", import_jax, lambda script: None, play)


if __name__ == "__main__":
    sys.exit(main())
