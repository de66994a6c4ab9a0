"""How does one rank run the script? As `python script.py` under torchrun would, with a recorder listening."""

from __future__ import annotations

import atexit
import contextlib
import os
import random
import signal
import sys
from typing import Any

import torch

from dtlint.trace import absent, clock, rewriting, starting, unread
from dtlint.trace.channel import Channel
from dtlint.trace.frames import failure_stack
from dtlint.trace.keeper import SET_CHILD_SUBREAPER, SET_PARENT_DEATH_SIGNAL, process_control
from dtlint.trace.torch import (
    cuda,
    launched,
    managers,
    noted,
    observe,
    placed,
    seen,
    shorten,
    spawn,
    synthetic,
    trainers,
    unchanged,
)
from dtlint.trace.torch.install import install
from dtlint.trace.torch.recorder import Recorder, Stopped

FAULT = "<fault>"
STANDINS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "standin")  # last on the path
STANDIN_NOTICE = "torchft is not installed: a stand-in played its Manager (no lighthouse, no healing, no recovery)"


def environment(rank: int, ranks: int, per_host: int) -> dict[str, str]:
    """What torchrun would set on each host."""
    host, hosts = rank // per_host, -(-ranks // per_host)
    return {
        "RANK": str(rank),
        "LOCAL_RANK": str(rank % per_host),
        "WORLD_SIZE": str(ranks),
        "LOCAL_WORLD_SIZE": str(per_host),
        "GROUP_RANK": str(host),
        "GROUP_WORLD_SIZE": str(hosts),
        "ROLE_RANK": str(rank),
        "ROLE_WORLD_SIZE": str(ranks),
        "ROLE_NAME": "default",
        "NODE_RANK": str(host),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": "29500",
        "TORCHELASTIC_RUN_ID": "dtlint",
        "TORCHELASTIC_RESTART_COUNT": "0",
        "TORCHELASTIC_MAX_RESTARTS": "0",
        "TORCHELASTIC_USE_AGENT_STORE": "False",
    }


def run_rank(job: dict[str, Any], rank: int, channel: Channel, scratch: str) -> None:
    """The whole life of a rank process. Never returns."""
    status = 1
    try:
        process_control(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
        process_control(SET_CHILD_SUBREAPER, 1)
        os.setpgid(0, 0)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        _redirect(os.path.join(scratch, f"rank{rank}.log"))
        status = _run(job, rank, channel, scratch)
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


def _redirect(path: str) -> None:
    log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (log, 1), (log, 2)):
        os.dup2(source, target)
    os.close(log)
    os.close(nothing)
    system: Any = sys
    system.stdin = os.fdopen(0, closefd=False)
    for number, name in ((1, "stdout"), (2, "stderr")):
        stream = os.fdopen(number, "w", buffering=1, closefd=False, errors="backslashreplace")
        setattr(system, name, stream)
        setattr(system, f"__{name}__", stream)


def _run(job: dict[str, Any], rank: int, channel: Channel, scratch: str) -> int:
    ranks = int(job["ranks"])
    per_host = int(job.get("per_host") or 0) or ranks
    os.environ.update(environment(rank, ranks, per_host))
    torch.set_num_threads(1)
    torch.autograd.set_multithreading_enabled(False)
    seed = int(job.get("seed", 0)) * 1000 + rank
    random.seed(seed)
    torch.manual_seed(seed)
    with contextlib.suppress(ImportError):
        import numpy

        numpy.random.seed(seed)
    recorder = Recorder(rank, ranks, channel)
    if job.get("engine", "lockstep") == "gloo":
        from dtlint.trace.torch.gloo import install_gloo

        install_gloo(recorder, os.path.join(scratch, "store"), float(job.get("patience", 5)))
    else:
        install(recorder, os.path.join(scratch, "store"))
    if job.get("pretend_gpus", True):
        cuda.pretend(per_host, rank % per_host)
    cuda.simplify_wrappers({(os.path.realpath(path), int(line)) for path, line in job.get("lenient") or ()})
    trainers.install(ranks)
    spawn.install(rank, recorder)
    launched.install(rank % per_host, recorder.tell)
    counter = observe.count_steps(int(job.get("steps") or 0))
    if job.get("synthetic"):
        synthetic.install(recorder)
    rewriting.install(job, rank, recorder.tell)
    shorten.install(int(job.get("batches") or 0))
    see = (job.get("extra") or {}).get("see")
    told, notes, gpus, commits = seen.Seen(rank), noted.Noted(recorder), placed.Placed(), managers.Managers(job)
    commits.install()
    calls = absent.install(job)
    listeners: list[Any] = [told, notes, gpus]
    for listener in listeners if see else ():
        listener.install()
    variables = unread.Variables()
    if see and rank == 0:
        variables.install()
    kept = [unchanged.Unchanged(place) for place in (job.get("extra") or {}).get("unchanged", ())]
    lines = observe.watch_lines(job, recorder, kept)
    if job.get("turns"):
        clock.install()
        recorder.take_turn()
    end = _execute(job, recorder)
    sys.settrace(None)
    if getattr(sys.modules.get("torchft"), "STANDIN", False):
        with contextlib.suppress(Exception):
            channel.send({"type": "notice", "text": STANDIN_NOTICE})
    if see:
        # samples last: reading them once more may call what a rank of the job must not call any more
        others: list[Any] = [gpus, commits, calls, *kept, *([variables] if rank == 0 else [])]
        for fact in (*notes.facts(end["how"]), *(other.fact(rank) for other in others), *told.facts()):
            with contextlib.suppress(Exception):
                channel.send({"type": "fact", "fact": fact})
    if lines:
        with contextlib.suppress(Exception):
            channel.send({"type": "covered", "lines": {path: sorted(seen) for path, seen in lines.items()}})
    with contextlib.suppress(Exception):
        channel.send({"type": "end", **end, "steps": counter.steps})
    return 0 if end["how"] in ("finished", "steps") else 1


def _execute(job: dict[str, Any], recorder: Recorder) -> dict[str, Any]:
    try:
        module = starting.as_main(job, (STANDINS,))
        code = rewriting.compiled(str(module.__file__))
        with cuda.CudaIsCpu() if job.get("pretend_gpus", True) else contextlib.nullcontext():
            _prelude(job, recorder.rank)
            exec(code, module.__dict__)
            _run_exit_handlers()
        return {"how": "finished"}
    except observe.StepsDone:
        return {"how": "steps", "text": f"stopped after {job['steps']} optimizer steps"}
    except Stopped:
        return {"how": "stopped", "text": recorder.stopped}
    except SystemExit as error:
        stack, _ = failure_stack(error.__traceback__)
        status = error.code if isinstance(error.code, int) else int(error.code is not None)
        text = f"exit status {status}" if error.code is None or isinstance(error.code, int) else str(error.code)[:500]
        return {"how": "exit", "text": text, "stack": stack, "place": stack[-1] if stack else None}
    except BaseException as error:
        return describe_failure(error, recorder, job)


def _prelude(job: dict[str, Any], rank: int) -> None:
    """Make one rank's world a little different, as a fault would."""
    prelude = job.get("prelude")
    if prelude and int(prelude["rank"]) == rank:
        exec(compile(prelude["code"], FAULT, "exec"), {"__name__": FAULT})


def _run_exit_handlers() -> None:
    """`os._exit` at the end of a rank would skip the script's own, and some of them communicate."""
    atexit._run_exitfuncs()


def describe_failure(error: BaseException, recorder: Recorder, job: dict[str, Any]) -> dict[str, Any]:
    import traceback

    if recorder.stopped:
        return {"how": "stopped", "text": recorder.stopped}
    stack, by_user = failure_stack(error.__traceback__)
    traceback.print_exception(error)
    origin = "user" if by_user else "library"
    # whatever ends the rank that was made to fail ends it because of that, also what its handlers raise
    if any(int((job.get(name) or {"rank": -1})["rank"]) == recorder.rank for name in ("prelude", "inject")):
        origin = "injected"
    text = f"{type(error).__name__}: {error}"[:1000]
    place = stack[-1] if stack else None
    return {"how": "exception", "text": text, "stack": stack, "place": place, "origin": origin}
