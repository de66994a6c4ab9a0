"""`horovod.torch.elastic`, where no host comes or goes."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Iterable
from typing import Any

import torch


class ObjectState:
    """What is kept of one commit, and told by rank 0 at the beginning."""

    def __init__(self, **fields: Any) -> None:
        self.fields = tuple(fields)
        self.__dict__.update(fields)
        self.kept: dict[str, Any] = {}

    def register_reset_callbacks(self, callbacks: Iterable[Callable[[], None]]) -> None: ...

    def save(self) -> None:
        self.kept = {name: copy.deepcopy(getattr(self, name)) for name in self.fields}

    def restore(self) -> None:
        self.__dict__.update(copy.deepcopy(self.kept))

    def commit(self) -> None:
        self.save()

    def check_host_updates(self) -> None: ...

    def sync(self) -> None:
        from horovod.torch import broadcast_object

        self.__dict__.update(broadcast_object({name: getattr(self, name) for name in self.fields}, 0))
        self.save()


class TorchState(ObjectState):
    def __init__(self, model: torch.nn.Module | None = None, optimizer: Any = None, **fields: Any) -> None:
        super().__init__(**fields)
        self.model, self.optimizer = model, optimizer

    def sync(self) -> None:
        from horovod.torch import broadcast_optimizer_state, broadcast_parameters

        if self.model is not None:
            broadcast_parameters(self.model.state_dict(), 0)
        if self.optimizer is not None:
            broadcast_optimizer_state(self.optimizer, 0)
        super().sync()


class ElasticSampler(torch.utils.data.Sampler):
    """The samples nobody has processed yet, in equal parts."""

    def __init__(self, dataset: Any, shuffle: bool = True, seed: int = 0) -> None:
        self.dataset, self.shuffle, self.seed, self.epoch = dataset, shuffle, seed, 0
        self.processed: set[int] = set()

    def set_epoch(self, epoch: int) -> None:
        self.epoch, self.processed = epoch, set()

    def record_batch(self, batch_index: int, batch_size: int) -> None:
        self.record_indices(list(self)[batch_index * batch_size : (batch_index + 1) * batch_size])

    def record_indices(self, indices: Iterable[int]) -> None:
        self.processed.update(indices)

    def __iter__(self) -> Any:
        from horovod.torch import rank, size

        left = [index for index in range(len(self.dataset)) if index not in self.processed]
        if self.shuffle:
            generator = torch.Generator().manual_seed(self.seed + self.epoch)
            left = [left[index] for index in torch.randperm(len(left), generator=generator).tolist()]
        left += left[: -len(left) % size()]
        return iter(left[rank() :: size()])

    def __len__(self) -> int:
        from horovod.torch import size

        return -(-(len(self.dataset) - len(self.processed)) // size())


def run(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapped(state: ObjectState, *args: Any, **keywords: Any) -> Any:
        state.sync()
        return function(state, *args, **keywords)

    return wrapped
