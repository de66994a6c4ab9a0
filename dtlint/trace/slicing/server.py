"""The process that runs slices: one job is one finding's function, on several ranks, along several paths.

Speaks the protocol of the other servers (see session.py) and needs no framework. Every path runs in a fork of a process
that has loaded the modules, once for each rank.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
import traceback
from typing import Any

from dtlint.trace import sandbox
from dtlint.trace.channel import Channel, Closed, pair
from dtlint.trace.keeper import kill_below
from dtlint.trace.serving import Stream
from dtlint.trace.slicing import running

RANKS = (0, 1, 3)  # the first, an ordinary one, the last
PATHS = 24
FLIPS = 8


def host(job: dict[str, Any], rank: int, names: list[str], channel: Channel) -> None:
    """A process that has loaded the project as one rank sees it, and forks for each path. Never returns."""
    try:
        module = running.load(job["directory"], job["script"], rank)
        channel.send({"ok": True})
        while True:
            request, _ = channel.receive()
            if os.fork() == 0:
                try:
                    answer = running.run_path(module, names, rank, request["forced"], request["prefer"])
                    channel.send(answer)
                finally:
                    os._exit(0)
            os.wait()
    except Closed:
        pass
    except BaseException as error:
        with contextlib.suppress(Closed):
            channel.send({"how": "error", "text": f"{type(error).__name__}: {error}", "log": [], "asked": []})
    finally:
        os._exit(0)


def explore(job: dict[str, Any], channels: dict[int, Channel], budget: float) -> dict[str, Any]:
    """Depth first over the answers; the same forced answers on every rank."""
    deadline = time.monotonic() + budget
    paths: list[dict[int, dict[str, Any]]] = []
    waiting: list[dict[str, bool]] = [{}]
    seen: set[frozenset[tuple[str, bool]]] = set()
    complete = True
    while waiting:
        if len(paths) >= PATHS or time.monotonic() > deadline:
            complete = False
            break
        forced = waiting.pop(0)
        answers: dict[int, dict[str, Any]] = {}
        for channel in channels.values():
            channel.send({"forced": forced, "prefer": True})
        for rank, channel in channels.items():
            answers[rank], _ = channel.receive()
        paths.append(answers)
        asked: dict[str, bool] = {}
        for answer in answers.values():
            for question, value in answer["asked"]:
                asked.setdefault(question, bool(value))
        free = [question for question in asked if question not in forced]
        complete = complete and len(free) <= FLIPS
        # flip one question after the other, keeping the answers before it: short ways first
        for position, question in enumerate(free[:FLIPS]):
            flipped = {**forced, **{before: asked[before] for before in free[:position]}, question: not asked[question]}
            key = frozenset(flipped.items())
            if key not in seen:
                seen.add(key)
                waiting.append(flipped)
    return {"paths": paths, "complete": complete}


def run_job(job: dict[str, Any], stream: Stream) -> None:
    began = time.monotonic()
    found = running.enclosing(job["script"], int(job["extra"]["line"]))
    if found is None:
        stream({"type": "fact", "fact": {"slice": "no-function"}})
        return
    names, _ = found
    pairs = {rank: pair() for rank in RANKS}
    for rank in RANKS:
        if os.fork() == 0:
            for other, (near, far) in pairs.items():
                near.close()
                if other != rank:
                    far.close()
            devnull = os.open(os.devnull, os.O_RDWR)
            for descriptor in (0, 1, 2):
                os.dup2(devnull, descriptor)
            os.close(stream.descriptor)
            host(job, rank, names, pairs[rank][1])
    for _, far in pairs.values():
        far.close()
    channels = {rank: near for rank, (near, _) in pairs.items()}
    for channel in channels.values():
        channel.receive()
    result = explore(job, channels, float(job["timeout"]))
    fact = {"slice": "done", "function": ".".join(names), "seconds": round(time.monotonic() - began, 3), **result}
    stream({"type": "fact", "fact": fact})


def main() -> int:
    stream = Stream(int(sys.argv[1]))
    notices = sandbox.enter(sandbox.Limits())
    stream({"type": "ready", "framework": "slices", "notices": notices})
    for line in sys.stdin.buffer:
        job = json.loads(line)
        child = os.fork()
        if child == 0:
            try:
                run_job(job, stream)
            except BaseException:
                text = traceback.format_exc().strip().splitlines()[-1]
                stream({"type": "fact", "fact": {"slice": "engine-error", "text": text}})
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        kill_below(os.getpid())
        stream({"type": "job"})
    return 0


if __name__ == "__main__":
    sys.exit(main())
