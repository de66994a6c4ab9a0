"""Local SGD over two levels: clusters average their parameters now and then, members follow their cluster's root."""

from __future__ import annotations

from types import TracebackType
from typing import Any

import torch
from torch import nn, optim
from torch.distributed import ReduceOp
from torch.nn.utils import parameters_to_vector, vector_to_parameters
from torch.utils.hooks import RemovableHandle
from torchft import Manager


class TwoLevelLocalSGD:
    """Counts optimizer steps on every member; every `sync_every` steps the roots average and the members copy.

    `inner` joins the members of one cluster, `outer` the roots only (None elsewhere): no two processes meet in both,
    so the two levels cannot wait for each other.
    """

    def __init__(
        self, inner: Manager, outer: Manager | None, model: nn.Module, optimizer: optim.Optimizer, sync_every: int
    ) -> None:
        assert sync_every >= 1, "sync_every must be at least 1"
        self.inner = inner
        self.outer = outer
        self.model = model
        self.optimizer = optimizer
        self.sync_every = sync_every
        self.local_step = 0
        self._hook: RemovableHandle | None = None

    def __enter__(self) -> TwoLevelLocalSGD:
        self._hook = self.optimizer.register_step_post_hook(self._after_step)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._hook is not None:
            self._hook.remove()

    def _after_step(self, _optimizer: optim.Optimizer, _args: tuple[Any, ...], _kwargs: dict[str, Any]) -> None:
        self.local_step += 1
        if self.local_step >= self.sync_every:
            self.sync()
            self.local_step = 0

    @torch.no_grad()
    def sync(self) -> None:
        vector = parameters_to_vector(self.model.parameters()).detach().clone()
        if self.outer is not None:
            vector = self._averaged_over_clusters(self.outer, vector)
        self._take_from_root(vector)

    def _averaged_over_clusters(self, outer: Manager, vector: torch.Tensor) -> torch.Tensor:
        outer.start_quorum()
        averaged = vector.clone()
        outer.allreduce(averaged).wait()
        return averaged if outer.should_commit() else vector

    def _take_from_root(self, vector: torch.Tensor) -> None:
        """A broadcast made of a sum, which every version of torchft has: all but the root contribute noughts."""
        self.inner.start_quorum(allow_heal=False)
        if self.outer is None:
            vector.zero_()
        self.inner.allreduce(vector, reduce_op=ReduceOp.SUM).wait()
        if self.inner.should_commit():
            vector_to_parameters(vector, self.model.parameters())
