"""The process that imports torch once and then runs one job after another.

Started in the user's Python as `python -m dtlint.trace.torch.server EVENTS_FD`; jobs come as JSON lines on stdin, what
happens goes out as JSON lines on the descriptor. It never runs a torch operation itself: it forks.
"""

from __future__ import annotations

import contextlib
import gc
import os
import sys
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from dtlint.trace.serving import Stream, serve, tail

# imported before the fork when a script mentions them: every rank would spend seconds on them
HEAVY = ("accelerate", "lightning", "pytorch_lightning", "torchmetrics", "torchvision", "transformers", "datasets")


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


BATCHES_BEFORE = 2  # of each pass over a loader, in a run that only leaves its files behind


def play(job: dict[str, Any], scratch: str, stream: Stream) -> None:
    """Fork the ranks, serve them, tell the outcome."""
    if job.get("again"):
        brief = {**job, "timeout": float(job["timeout"]) / 2, "batches": BATCHES_BEFORE, "cover": ()}

        def what_it_left(record: dict[str, Any]) -> None:
            if record["type"] == "fact" and record["fact"].get("kind") == "devices":
                stream(record)

        _once(brief, scratch, what_it_left)
    _once(job, scratch, stream)


def _once(job: dict[str, Any], scratch: str, stream: Stream | Callable[[dict[str, Any]], None]) -> None:
    from dtlint.trace import channel, coordinator, outcome
    from dtlint.trace.torch import arithmetic, program

    ranks = int(job["ranks"])
    pairs = {rank: channel.pair() for rank in range(ranks)}
    pids = {}
    for rank in range(ranks):
        pids[rank] = os.fork()
        if pids[rank] == 0:
            if isinstance(stream, Stream):
                os.close(stream.descriptor)
            for other, (near, far) in pairs.items():
                near.close()
                if other != rank:
                    far.close()
            program.run_rank(job, rank, pairs[rank][1], scratch)
    for _, far in pairs.values():
        far.close()
    channels = {rank: near for rank, (near, _) in pairs.items()}
    run = coordinator.Coordinator(channels, pids, arithmetic.compute, stream, bool(job.get("turns")))
    run.run(float(job["timeout"]))
    for rank, end in sorted(run.ends.items()):
        stream({**end, "type": "end", "output": tail(os.path.join(scratch, f"rank{rank}.log"))})
    if run.needed:
        stream({"type": "needs", "ranks": run.needed})
    judge = outcome.second_opinion if job.get("engine") == "gloo" else outcome.decide
    stream({"type": "outcome", **asdict(judge(run))})
    if run.dropped:
        stream({"type": "notice", "text": f"{run.dropped} calls beyond the cap are not listed"})


def main() -> int:
    if len(sys.argv) < 2:
        print("usage: python -m dtlint.trace.torch.server EVENTS_FD  (started by `dtlint trace`)", file=sys.stderr)
        return 2
    return serve(Stream(int(sys.argv[1])), "torch", import_torch, preload, play)


if __name__ == "__main__":
    sys.exit(main())
