"""How is the script run inside its process? As `python script.py` would, with the programs of JAX listened to."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import Any

from dtlint.trace import absent, made_up, rewriting, starting
from dtlint.trace.flow import Flow
from dtlint.trace.forks import Forks
from dtlint.trace.frames import failure_stack
from dtlint.trace.jax import lines, loaders
from dtlint.trace.keeper import SET_CHILD_SUBREAPER, SET_PARENT_DEATH_SIGNAL, process_control
from dtlint.trace.unread import Variables

FAULT = "<fault>"
# XLA gives up on a device that does not come: soon enough for a tiny run, late enough for a slow device
PATIENCE = {
    "xla_cpu_collective_call_warn_stuck_timeout_seconds": 5,
    "xla_cpu_collective_call_terminate_timeout_seconds": 10,
}
FLAGS_SINCE = (0, 10)


class StepsDone(BaseException):
    """As many launches of the training program as were asked for."""


def prepare(devices: int, log: str, seed: int) -> None:
    """Before JAX starts its devices: which there are, where output goes, which random numbers."""
    process_control(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    process_control(SET_CHILD_SUBREAPER, 1)
    os.setpgid(0, 0)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _redirect(log)
    import jaxlib

    # a tiny run is all compilation: let XLA not optimise
    quick = ["--xla_backend_optimization_level=0", "--xla_llvm_disable_expensive_passes=true"]
    flags = [f"--xla_force_host_platform_device_count={devices}", *quick]
    if tuple(int(part) for part in jaxlib.__version__.split(".")[:2]) >= FLAGS_SINCE:
        flags += [f"--{name}={value}" for name, value in PATIENCE.items()]
    os.environ["XLA_FLAGS"] = " ".join(flags)
    random.seed(seed)
    with contextlib.suppress(ImportError):
        import numpy

        numpy.random.seed(seed)


def _redirect(path: str) -> None:
    log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (log, 1), (log, 2)):
        os.dup2(source, target)
    os.close(log)
    os.close(nothing)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", buffering=1, closefd=False, errors="backslashreplace")  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, closefd=False, errors="backslashreplace")  # noqa: SIM115
    sys.__stdout__, sys.__stderr__ = sys.stdout, sys.stderr  # type: ignore[misc]


def keep_flags(flags: str) -> None:
    """A script that writes XLA_FLAGS would change the number of devices: what it adds is kept, what we need stays."""
    import jax._src.xla_bridge as bridge

    ours = {flag.partition("=")[0] for flag in flags.split()}
    original = bridge.backends

    def backends() -> Any:
        asked = [flag for flag in os.environ.get("XLA_FLAGS", "").split() if flag.partition("=")[0] not in ours]
        os.environ["XLA_FLAGS"] = " ".join([*asked, flags])
        return original()

    bridge.backends = backends


def _started() -> str:
    """The name of the backend, once JAX has one."""
    import jax._src.xla_bridge as bridge

    return "jax" if getattr(bridge, "_backends", None) else ""


def execute(
    job: dict[str, Any],
    rank: int,
    stopped: Callable[[], str],
    tell: Callable[[dict[str, Any]], None],
    watched: Sequence[Any] = (),
) -> dict[str, Any]:
    """Run the script to its end: how it ended, as the fields of a RankEnd. What was seen goes to `tell`."""
    from dtlint.trace.jax import alike
    from dtlint.trace.jax.programs import Stopped

    extra = job.get("extra") or {}
    flow, variables, forked = Flow(), Variables(), Forks(_started)
    calls = absent.install(job)
    listeners: list[Any] = [*watched, *((forked, variables) if extra.get("see") and rank == 0 else ())]
    for listener in listeners:
        listener.install()
    if job.get("synthetic"):
        made_up.install(tell)
    loaders.install(extra)
    seen = lines.watch(job.get("cover") or (), flow if extra.get("see") else None)
    try:
        module = starting.as_main(job)
        rewriting.install(job, rank, tell)
        alike.install((os.path.realpath(path), line) for path, line in job.get("lenient") or ())
        code = rewriting.compiled(str(module.__file__))
        prelude = job.get("prelude")
        if prelude and int(prelude["rank"]) == rank:
            exec(compile(prelude["code"], FAULT, "exec"), {"__name__": FAULT})
        exec(code, module.__dict__)
        return {"how": "finished"}
    except StepsDone:
        return {"how": "steps", "text": f"stopped after {job['steps']} steps"}
    except Stopped:
        return {"how": "stopped", "text": stopped()}
    except SystemExit as error:
        stack, _ = failure_stack(error.__traceback__)
        number = error.code if isinstance(error.code, int) else int(error.code is not None)
        text = f"exit status {number}" if error.code is None or isinstance(error.code, int) else str(error.code)[:500]
        return {"how": "exit", "text": text, "stack": stack, "place": stack[-1] if stack else None}
    except BaseException as error:
        if stopped():
            return {"how": "stopped", "text": stopped()}
        traceback.print_exception(error)
        stack, by_user = failure_stack(error.__traceback__)
        made = getattr(error, "made_at", None)  # where the axes were given, as far as the rules are concerned a caller
        stack = [made, *stack] if made else stack
        injected = any(frame.filename == FAULT for frame in traceback.extract_tb(error.__traceback__))
        return {
            "how": "exception",
            "text": f"{type(error).__name__}: {error}"[:1000],
            "stack": stack,
            "place": stack[-1] if stack else None,
            "origin": "injected" if injected else "user" if by_user else "library",
        }
    finally:
        with contextlib.suppress(Exception):
            if extra.get("see"):  # the time for this may be short: what others are compared with goes first
                fed = [loader for listener in watched if hasattr(listener, "loaders") for loader in listener.loaders()]
                told = {"kind": "samples", "rank": rank, "loaders": [*flow.loaders(), *fed], "model_parallel": False}
                tell({"type": "fact", "fact": told})
                for listener in (calls, *listeners):
                    tell({"type": "fact", "fact": listener.fact(rank)})
        if covered := lines.stop(seen):
            with contextlib.suppress(Exception):
                tell(covered)
