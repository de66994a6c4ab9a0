"""A stand-in for torchft's Manager, for machines without torchft: the same calls, over torch.distributed.

It keeps what matters for the order of calls: a collective needs a quorum, a quorum waits for every live member,
`should_commit` is agreed inside the replica group, errors are kept until the commit, and a manager that is not shut
down keeps its heartbeat thread, and so its process, alive. It has no lighthouse, no healing and no membership changes:
the members of an address are declared once with `declare`; where nobody declares any, every rank of the job is one.

Used by traced runs and by examples/torchft_two_level; it is on no path where torchft itself is installed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed import ReduceOp

STANDIN = True
__version__ = "0.2.0+standin"

_groups: dict[str, tuple[list[int], dist.ProcessGroup]] = {}


def declare(members: dict[str, list[int]]) -> None:
    """Say which ranks would find each other at which lighthouse address. Every rank of the job calls this once."""
    for address, ranks in sorted(members.items()):
        _groups[address] = (ranks, dist.new_group(ranks))


def _members_of(address: str) -> tuple[list[int], dist.ProcessGroup]:
    """Undeclared, every rank of the job is a replica group of one and finds all the others."""
    if address not in _groups:
        if not dist.is_initialized():
            dist.init_process_group("gloo")
        if _groups:
            raise KeyError(f"{address}: nobody was declared for this lighthouse address")
        everybody = list(range(dist.get_world_size()))
        _groups[address] = (everybody, dist.new_group(everybody))
    return _groups[address]


class ProcessGroupGloo:
    """Configured by the manager at every quorum; here only the place of the argument."""

    def __init__(self, timeout: timedelta = timedelta(seconds=60)) -> None:
        self.timeout = timeout


class ProcessGroupNCCL(ProcessGroupGloo): ...


class ProcessGroupBabyGloo(ProcessGroupGloo): ...


class ProcessGroupBabyNCCL(ProcessGroupGloo): ...


class Manager:
    def __init__(
        self,
        pg: ProcessGroupGloo,
        load_state_dict: Callable[[Any], None] | None,
        state_dict: Callable[[], Any] | None,
        min_replica_size: int,
        use_async_quorum: bool = True,
        timeout: timedelta = timedelta(seconds=60),
        rank: int | None = None,
        world_size: int | None = None,
        lighthouse_addr: str = "",
        replica_id: str = "",
        **_: object,
    ) -> None:
        self._ranks, self._group = _members_of(lighthouse_addr)
        self._min_replica_size = min_replica_size
        self._timeout = timeout
        self._quorum = False
        self._error: Exception | None = None
        self._step = 0
        self._stopped = threading.Event()
        self._state = (load_state_dict, state_dict)
        self._batches = 0
        self._heartbeat = threading.Thread(target=self._beat, name=f"heartbeat-{replica_id}")
        self._heartbeat.start()

    def _beat(self) -> None:
        while not self._stopped.wait(0.1):
            pass

    def start_quorum(
        self, allow_heal: bool = True, shrink_only: bool = False, timeout: timedelta | None = None
    ) -> None:
        dist.barrier(group=self._group)
        self._quorum = True
        self._error = None

    def wait_quorum(self) -> None:
        self._need_quorum()

    def _need_quorum(self) -> None:
        assert self._quorum, "must call start_quorum before wait_quorum"

    def allreduce(
        self, tensor: torch.Tensor, should_quantize: bool = False, reduce_op: ReduceOp = ReduceOp.AVG
    ) -> dist.Work:
        self._need_quorum()
        if reduce_op == ReduceOp.AVG:
            # Scaled before the sum, since the work handle goes straight to the caller.
            tensor.div_(self.num_participants())
        return dist.all_reduce(tensor, op=ReduceOp.SUM, group=self._group, async_op=True)

    def broadcast_one(self, tensor: torch.Tensor, root_rank: int, timeout: timedelta | None = None) -> dist.Work:
        """Not in torchft itself: some forks have it. `root_rank` counts inside this manager's group."""
        self._need_quorum()
        return dist.broadcast(tensor, src=self._ranks[root_rank], group=self._group, async_op=True)

    def report_error(self, error: Exception) -> None:
        self._error = error

    def should_commit(self, timeout: timedelta | None = None) -> bool:
        """A replica group is one process here, so its own view is the group's."""
        commit = self._error is None and self.num_participants() >= self._min_replica_size
        self._step += commit
        self._batches += self.num_participants() if commit else 0
        self._quorum = False
        return commit

    def current_step(self) -> int:
        return self._step

    def batches_committed(self) -> int:
        return self._batches

    def participating_rank(self) -> int:
        return self._ranks.index(dist.get_rank())

    def errored(self) -> Exception | None:
        return self._error

    def state_dict(self) -> dict[str, int]:
        return {"step": self._step, "batches_committed": self._batches}

    def load_state_dict(self, state: dict[str, int]) -> None:
        self._step, self._batches = state["step"], state["batches_committed"]

    def num_participants(self) -> int:
        return len(self._ranks)

    def is_participating(self) -> bool:
        return True

    def shutdown(self, wait: bool = True) -> None:
        self._stopped.set()
        if wait:
            self._heartbeat.join()


class Optimizer:
    """Starts the quorum in `zero_grad` and asks for the commit in `step`."""

    def __init__(self, manager: Manager, optim: torch.optim.Optimizer) -> None:
        self.manager, self.optim = manager, optim

    def __getattr__(self, name: str) -> Any:
        return getattr(self.optim, name)

    def zero_grad(self, set_to_none: bool = True) -> None:
        self.manager.start_quorum()
        self.optim.zero_grad(set_to_none)

    def step(self, closure: object = None) -> None:
        assert closure is None, "optimizers that use closures are not supported"
        if self.manager.should_commit():
            self.optim.step()


class DistributedDataParallel(torch.nn.Module):
    """Averages every gradient through the manager as soon as it is there."""

    def __init__(self, manager: Manager, module: torch.nn.Module, **_: object) -> None:
        super().__init__()
        self.module = module

        def average(parameter: torch.Tensor) -> None:
            manager.allreduce(parameter.grad).wait()

        for parameter in module.parameters():
            if parameter.requires_grad:
                parameter.register_post_accumulate_grad_hook(average)

    def forward(self, *args: Any, **keywords: Any) -> Any:
        return self.module(*args, **keywords)
