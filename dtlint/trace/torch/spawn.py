"""Scripts that start their own ranks: in a traced run they are there already.

`mp.spawn(worker, args, nprocs)` becomes `worker(RANK, *args)`; of the processes that a script starts one by one, each
rank runs the one with its own number. A script that starts one process only was started once for each rank.
"""

from __future__ import annotations

import multiprocessing
from dataclasses import dataclass
from typing import Any

import torch.distributed as dist
import torch.multiprocessing

from dtlint.trace.frames import is_user_file
from dtlint.trace.torch.recorder import Recorder, Stopped


@dataclass
class Started:
    """The processes that a script has started one by one."""

    count: int = 0
    running: bool = False  # what this rank's own starts is not a rank


def install(rank: int, recorder: Recorder) -> None:
    def spawn(fn: Any, args: Any = (), nprocs: int = 1, join: bool = True, **_: Any) -> Any:
        if nprocs > 1 and nprocs != recorder.ranks:
            recorder.tell({"type": "needs", "ranks": int(nprocs)})
            raise Stopped("needs")
        fn(rank, *args)
        return None if join else _Joined()

    torch.multiprocessing.spawn = spawn
    torch.multiprocessing.start_processes = spawn
    started = Started()
    real_process = multiprocessing.Process

    class Process:
        """The n-th process of a script is rank n."""

        def __new__(cls, *args: Any, **keywords: Any) -> Any:
            target = keywords.get("target")
            code = getattr(target, "__code__", None)
            inside = started.running or (dist.is_initialized() and not started.count)
            if inside or code is None or not is_user_file(code.co_filename):
                return real_process(*args, **keywords)
            return super().__new__(cls)

        def __init__(
            self, group: Any = None, target: Any = None, name: Any = None, args: Any = (), kwargs: Any = None, **_: Any
        ) -> None:
            self.number = started.count
            started.count += 1
            self.target, self.args, self.kwargs = target, args, kwargs or {}
            self.name, self.exitcode, self.pid, self.daemon = name, 0, None, False

        def start(self) -> None:
            if self.number == rank and self.target:
                started.running = True
                try:
                    self.target(*self.args, **self.kwargs)
                finally:
                    started.running = False

        run = start

        def join(self, timeout: Any = None) -> None:
            if started.count == 1 and self.number != rank:
                self.number = rank
                self.start()

        def is_alive(self) -> bool:
            return False

        def terminate(self) -> None: ...

        kill = close = terminate

    holders: list[Any] = [multiprocessing, torch.multiprocessing]
    for holder in holders:
        holder.Process = Process
        holder.set_start_method = lambda *_, **__: None
    for method in ("spawn", "fork", "forkserver"):
        context: Any = multiprocessing.get_context(method)
        # a process that is none of the ranks asks the class of its context how it comes to life
        context.Process = type("Process", (Process,), {"_Popen": staticmethod(context.Process._Popen)})


class _Joined:
    def join(self, *_: Any) -> bool:
        return True
