"""What do `torch`, `accelerate` and `jax` look like to a program that is only simulated?"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from bench.mbi.world import Meeting, Signature, World

WORLD_GROUP = "world"


class Array:
    """A row of numbers: enough of a tensor for the programs."""

    def __init__(self, numbers: list[float]) -> None:
        self.numbers = numbers

    def __mul__(self, factor: float) -> Array:
        return Array([number * factor for number in self.numbers])

    def __len__(self) -> int:
        return len(self.numbers)

    def __float__(self) -> float:
        (number,) = self.numbers
        return float(number)

    def clone(self) -> Array:
        return Array(list(self.numbers))

    def sum(self) -> Array:
        return Array([sum(self.numbers)])

    def item(self) -> float:
        return float(self)


def ones(size: int) -> Array:
    return Array([1.0] * size)


def zeros(size: int) -> Array:
    return Array([0.0] * size)


def added(arrays: dict[int, Array]) -> list[float]:
    return [sum(column) for column in zip(*(array.numbers for array in arrays.values()), strict=True)]


@dataclass(frozen=True)
class Group:
    name: str
    members: tuple[int, ...]


@dataclass(frozen=True)
class Work:
    world: World
    meeting: Meeting

    def wait(self) -> bool:
        self.world.wait(self.meeting)
        return True


class Rank:
    """One rank's door to the world; makes the modules this rank imports."""

    def __init__(self, world: World, rank: int) -> None:
        self.world = world
        self.rank = rank
        self.everybody = Group(WORLD_GROUP, tuple(range(world.size)))

    def meet(self, signature: Signature, value: Any = None, group: Group | None = None, later: bool = False) -> Any:
        """Take part in a collective; ranks outside of the group do nothing, as in torch."""
        group = group or self.everybody
        if self.rank not in group.members:
            return Work(self.world, Meeting(()))
        meeting = self.world.post(self.rank, group.name, group.members, signature, value)
        return Work(self.world, meeting) if later else self.world.wait(meeting)

    def modules(self) -> dict[str, Any]:
        torch = SimpleNamespace(ones=ones, zeros=zeros, distributed=self.torch_distributed())
        jax, multihost = self.jax()
        environment = {"RANK": str(self.rank), "WORLD_SIZE": str(self.world.size)}
        return {
            "torch": torch,
            "torch.distributed": torch.distributed,
            "accelerate": SimpleNamespace(Accelerator=lambda cpu: self.accelerator(), utils=self.accelerate_utils()),
            "accelerate.utils": self.accelerate_utils(),
            "jax": jax,
            "jax.numpy": jax.numpy,
            "jax.experimental": SimpleNamespace(multihost_utils=multihost),
            "os": SimpleNamespace(environ=environment),
        }

    def torch_distributed(self) -> SimpleNamespace:
        operations = SimpleNamespace(SUM="SUM", MAX="MAX")

        def all_reduce(tensor: Array, op: str = "SUM", group: Group | None = None, async_op: bool = False) -> Any:
            met = self.meet(("all_reduce", op, len(tensor)), tensor.clone(), group, async_op)
            if not async_op and isinstance(met, dict):
                tensor.numbers = added(met)
            return met if async_op else None

        def rooted(name: str) -> Any:
            def call(
                tensor: Array, *buffers: object, group: Group | None = None, async_op: bool = False, **root: Any
            ) -> Any:
                arguments = tuple(sorted(root.items()))
                return self.meet((name, *arguments, len(tensor)), None, group, async_op)

            return call

        def listed(name: str) -> Any:
            def call(first: object, second: object, group: Group | None = None, async_op: bool = False) -> Any:
                return self.meet((name,), None, group, async_op)

            return call

        return SimpleNamespace(
            ReduceOp=operations,
            init_process_group=lambda backend: None,
            destroy_process_group=lambda: None,
            get_rank=lambda: self.rank,
            get_world_size=lambda: self.world.size,
            new_group=self.new_group,
            barrier=lambda group=None, async_op=False: self.meet(("barrier",), None, group, async_op),
            all_reduce=all_reduce,
            **{name: rooted(name) for name in ("broadcast", "reduce", "gather", "scatter")},
            **{name: listed(name) for name in ("all_gather", "reduce_scatter")},
        )

    def new_group(self, members: list[int]) -> Group:
        """Every rank of the world takes part, member or not."""
        name = "group " + ",".join(map(str, members))
        self.meet(("new_group", name))
        return Group(name, tuple(members))

    def accelerator(self) -> SimpleNamespace:
        wait = self.named("wait_for_everyone")

        @contextlib.contextmanager
        def main_process_first() -> Iterator[None]:
            if self.rank != 0:
                wait()
            yield
            if self.rank == 0:
                wait()

        return SimpleNamespace(
            process_index=self.rank,
            num_processes=self.world.size,
            is_main_process=self.rank == 0,
            is_last_process=self.rank == self.world.size - 1,
            wait_for_everyone=wait,
            gather=lambda tensor: self.joined("gather", tensor),
            reduce=lambda tensor, reduction: self.joined("reduce", tensor),
            main_process_first=main_process_first,
            end_training=self.named("end_training"),
        )

    def accelerate_utils(self) -> SimpleNamespace:
        def broadcast(tensor: Array, from_process: int = 0) -> Array:
            self.meet(("broadcast", from_process, len(tensor)))
            return tensor

        return SimpleNamespace(broadcast=broadcast, gather_object=lambda objects: self.named("gather_object")())

    def jax(self) -> tuple[SimpleNamespace, SimpleNamespace]:
        nothing = SimpleNamespace(initialize=lambda: None, shutdown=lambda: None)

        def broadcast_one_to_all(array: Array, is_source: bool | None = None) -> Array:
            self.meet(("broadcast_one_to_all", len(array)))
            return array

        multihost = SimpleNamespace(
            sync_global_devices=lambda name: self.meet(("sync_global_devices", name)) and None,
            process_allgather=lambda array: self.joined("process_allgather", array),
            broadcast_one_to_all=broadcast_one_to_all,
        )
        jax = SimpleNamespace(
            distributed=nothing,
            process_index=lambda: self.rank,
            process_count=lambda: self.world.size,
            numpy=SimpleNamespace(ones=ones),
        )
        return jax, multihost

    def named(self, name: str) -> Any:
        return lambda: self.meet((name,)) and None

    def joined(self, name: str, array: Array) -> Array:
        return Array(added(self.meet((name, len(array)), array.clone())))
