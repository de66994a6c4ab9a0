"""The calls of `horovod.torch`, made over torch.distributed in the same order and by the same ranks.

Gradients are reduced while the backward pass runs, once in `backward_passes_per_step`, and what is missing then in
`step()`, as with the library. `join()` is not played: with it ranks may leave early, which nothing here stands for.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from typing import Any

import torch
import torch.distributed as dist

from horovod.torch import elastic  # noqa: F401
from horovod.torch.compression import Compression  # noqa: F401


class Operation:
    def __init__(self, name: str, reduces: dist.ReduceOp, averages: bool = False) -> None:
        self.name, self.reduces, self.averages = name, reduces, averages


Average = Operation("Average", dist.ReduceOp.SUM, averages=True)
Sum = Operation("Sum", dist.ReduceOp.SUM)
Adasum = Operation("Adasum", dist.ReduceOp.SUM, averages=True)
Min = Operation("Min", dist.ReduceOp.MIN)
Max = Operation("Max", dist.ReduceOp.MAX)
Product = Operation("Product", dist.ReduceOp.PRODUCT)


class ProcessSet:
    def __init__(self, ranks: Iterable[int] | None = None) -> None:
        self.ranks = None if ranks is None else sorted(ranks)
        self.group = None if ranks is None else dist.new_group(self.ranks)

    def included(self) -> bool:
        return self.ranks is None or rank() in self.ranks

    def size(self) -> int:
        return size() if self.ranks is None else len(self.ranks)

    def rank(self) -> int:
        return rank() if self.ranks is None else self.ranks.index(rank())


global_process_set = ProcessSet()


def init(*_: object, **__: object) -> None:
    if not dist.is_initialized():
        dist.init_process_group("gloo")


def shutdown() -> None:
    if dist.is_initialized():
        dist.destroy_process_group()


def is_initialized() -> bool:
    return dist.is_initialized()


def begun() -> None:
    if not dist.is_initialized():
        raise ValueError("Horovod has not been initialized; use hvd.init().")


def rank() -> int:
    begun()
    return dist.get_rank()


def size() -> int:
    begun()
    return dist.get_world_size()


def local_rank() -> int:
    begun()
    return int(os.environ.get("LOCAL_RANK", dist.get_rank()))


def local_size() -> int:
    begun()
    return int(os.environ.get("LOCAL_WORLD_SIZE", dist.get_world_size()))


def cross_rank() -> int:
    return rank() // local_size()


def cross_size() -> int:
    return max(size() // local_size(), 1)


def is_homogeneous() -> bool:
    return True


def nccl_built() -> bool:
    return True


mpi_built = gloo_built = mpi_enabled = gloo_enabled = nccl_built


def mpi_threads_supported() -> bool:
    return True


def add_process_set(ranks: ProcessSet | Iterable[int]) -> ProcessSet:
    return ranks if isinstance(ranks, ProcessSet) else ProcessSet(ranks)


def _where(keywords: dict[str, Any]) -> ProcessSet:
    return keywords.get("process_set") or global_process_set


def _reduce(tensor: torch.Tensor, average: bool | None, op: Operation | None, where: ProcessSet) -> torch.Tensor:
    chosen = op or (Sum if average is False else Average)
    dist.all_reduce(tensor, op=chosen.reduces, group=where.group)
    if chosen.averages and where.size() > 1:
        if tensor.is_floating_point():
            tensor.div_(where.size())
        else:
            tensor.copy_(torch.div(tensor, where.size(), rounding_mode="floor"))
    return tensor


def allreduce_(
    tensor: torch.Tensor, average: bool | None = None, name: str | None = None, op: Operation | None = None, **more: Any
) -> torch.Tensor:
    with torch.no_grad():
        return _reduce(tensor, average, op, _where(more))


def allreduce(
    tensor: torch.Tensor,
    average: bool | None = None,
    name: str | None = None,
    compression: Any = None,
    op: Operation | None = None,
    **more: Any,
) -> torch.Tensor:
    return allreduce_(tensor.detach().clone(), average, name, op, **more)


def grouped_allreduce(tensors: list[torch.Tensor], *args: Any, **keywords: Any) -> list[torch.Tensor]:
    return [allreduce(tensor, *args, **keywords) for tensor in tensors]


def grouped_allreduce_(tensors: list[torch.Tensor], *args: Any, **keywords: Any) -> list[torch.Tensor]:
    return [allreduce_(tensor, *args, **keywords) for tensor in tensors]


def allgather(tensor: torch.Tensor, name: str | None = None, **more: Any) -> torch.Tensor:
    """Each rank may give another number of rows."""
    where = _where(more)
    rows: list[Any] = [None] * where.size()
    dist.all_gather_object(rows, tensor.detach().cpu(), group=where.group)
    return torch.cat(rows)


def allgather_object(obj: Any, name: str | None = None, **more: Any) -> list[Any]:
    where = _where(more)
    gathered: list[Any] = [None] * where.size()
    dist.all_gather_object(gathered, obj, group=where.group)
    return gathered


def broadcast_(tensor: torch.Tensor, root_rank: int, name: str | None = None, **more: Any) -> torch.Tensor:
    with torch.no_grad():
        dist.broadcast(tensor, src=root_rank, group=_where(more).group)
    return tensor


def broadcast(tensor: torch.Tensor, root_rank: int, name: str | None = None, **more: Any) -> torch.Tensor:
    return broadcast_(tensor.detach().clone(), root_rank, name, **more)


def broadcast_object(obj: Any, root_rank: int = 0, name: str | None = None, **more: Any) -> Any:
    box = [obj]
    dist.broadcast_object_list(box, src=root_rank, group=_where(more).group)
    return box[0]


def broadcast_parameters(params: Any, root_rank: int, **more: Any) -> None:
    named = sorted(params.items()) if isinstance(params, dict) else list(params)
    for _, tensor in named:
        if isinstance(tensor, torch.Tensor):
            broadcast_(tensor.data, root_rank, **more)


def broadcast_optimizer_state(optimizer: torch.optim.Optimizer, root_rank: int, **_: Any) -> None:
    optimizer.load_state_dict(broadcast_object(optimizer.state_dict(), root_rank))


def reducescatter(tensor: torch.Tensor, name: str | None = None, op: Operation | None = None, **more: Any) -> Any:
    where = _where(more)
    return allreduce(tensor, op=op, **more).chunk(where.size())[where.rank()]


def alltoall(tensor: torch.Tensor, splits: Any = None, name: str | None = None, **more: Any) -> Any:
    where = _where(more)
    counts = [int(count) for count in splits] if splits is not None else [len(tensor) // where.size()] * where.size()
    parts = allgather_object([part.cpu() for part in tensor.detach().split(counts)], **more)
    mine = [given[where.rank()] for given in parts]
    joined = torch.cat(mine)
    return joined if splits is None else (joined, torch.tensor([len(part) for part in mine]))


def barrier(**more: Any) -> None:
    dist.barrier(group=_where(more).group)


def join(device: int = -1) -> int:
    raise NotImplementedError("the stand-in of horovod does not play join()")


class Handle:
    """The work is done when it is asked for: `synchronize` gives what came out."""

    def __init__(self, result: Any) -> None:
        self.result = result


def allreduce_async(tensor: torch.Tensor, *args: Any, **keywords: Any) -> Handle:
    return Handle(allreduce(tensor, *args, **keywords))


def allreduce_async_(tensor: torch.Tensor, *args: Any, **keywords: Any) -> Handle:
    return Handle(allreduce_(tensor, *args, **keywords))


def allgather_async(tensor: torch.Tensor, *args: Any, **keywords: Any) -> Handle:
    return Handle(allgather(tensor, *args, **keywords))


def broadcast_async(tensor: torch.Tensor, *args: Any, **keywords: Any) -> Handle:
    return Handle(broadcast(tensor, *args, **keywords))


def broadcast_async_(tensor: torch.Tensor, *args: Any, **keywords: Any) -> Handle:
    return Handle(broadcast_(tensor, *args, **keywords))


def synchronize(handle: Handle) -> Any:
    return handle.result


def poll(handle: Handle) -> bool:
    return True


class Reducing:
    """What an optimizer becomes: its own class comes after this one."""

    def begin(self, passes: int, op: Operation, where: ProcessSet) -> None:
        self.passes, self.op, self.where = passes, op, where
        self.seen: dict[torch.Tensor, int] = {}
        self.waits = True
        for group in self.param_groups:  # type: ignore[attr-defined]
            for parameter in group["params"]:
                if parameter.requires_grad:
                    self.seen[parameter] = 0
                    parameter.register_post_accumulate_grad_hook(self.accumulated)

    def accumulated(self, parameter: torch.Tensor) -> None:
        self.seen[parameter] += 1
        if self.seen[parameter] > self.passes:
            raise AssertionError(
                "Gradients were computed more than backward_passes_per_step times before call to step(). "
                "Increase backward_passes_per_step to accumulate gradients locally."
            )
        if self.seen[parameter] == self.passes:
            self.reduce(parameter)

    def reduce(self, parameter: torch.Tensor) -> None:
        if parameter.grad is None:
            parameter.grad = torch.zeros_like(parameter)
        with torch.no_grad():
            _reduce(parameter.grad, None, self.op, self.where)
            if self.passes > 1 and self.op.averages:
                parameter.grad.div_(self.passes)

    def synchronize(self) -> None:
        for parameter, seen in self.seen.items():
            if seen < self.passes:
                self.reduce(parameter)
            self.seen[parameter] = 0

    @contextlib.contextmanager
    def skip_synchronize(self) -> Iterator[None]:
        self.waits = False
        try:
            yield
        finally:
            self.waits = True

    def step(self, closure: Any = None) -> Any:
        if self.waits:
            self.synchronize()
        return super().step(closure)  # type: ignore[misc]


def DistributedOptimizer(
    optimizer: torch.optim.Optimizer,
    named_parameters: Any = None,
    compression: Any = None,
    backward_passes_per_step: int = 1,
    op: Operation = Average,
    **more: Any,
) -> torch.optim.Optimizer:
    kind = type(optimizer)
    optimizer.__class__ = type(kind.__name__, (Reducing, kind), {})
    optimizer.begin(backward_passes_per_step, op, _where(more))
    return optimizer


class SyncBatchNorm(torch.nn.SyncBatchNorm): ...
