import torch
from torchft import Manager


class LocalSGD_ICT:
    def __init__(
        self,
        manager: Manager,
        cluster_manager: Manager,
        model: torch.nn.Module,
        optimizer: torch.optim.Optimizer,
        sync_every: int,
        self_rank: int,
        root_rank: int,
    ) -> None:
        self._manager = manager
        self._cluster_manager = cluster_manager
        self._model = model
        self._local_optimizer = optimizer
        self._local_step = 0
        self._sync_every = sync_every
        self._self_rank = self_rank
        self._root_rank = root_rank
        self._works = []
        self._averaged_parameters = []
        self._hooks = []

    def __enter__(self):
        self._hooks.append(self._local_optimizer.register_step_post_hook(self._step_post_hook))
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        for hook in self._hooks:
            hook.remove()
        self._hooks.clear()
        return False

    def _step_post_hook(self, _optim, _args, _kwargs):
        if self._self_rank == self._root_rank:
            self.sync()
        if self._local_step >= self._sync_every:
            for p in self._model.parameters():
                p.data.grad = None
                self._cluster_manager.broadcast_one(p, root_rank=self._root_rank)
            self._perform_sync()
            self._local_step = 0

    def sync(self):
        self._local_step += 1
        if self._local_step >= self._sync_every:
            self._manager.start_quorum()
            self._average()

    def _perform_sync(self):
        for work in self._works:
            work.wait()
        self._manager.should_commit()
        for param, avg_param in zip(self._model.parameters(), self._averaged_parameters):
            param.data.copy_(avg_param)
        self._works.clear()
        self._averaged_parameters.clear()

    def _average(self):
        for p in self._model.parameters():
            avg_param = p.data.clone()
            self._works.append(self._manager.allreduce(avg_param))
            self._averaged_parameters.append(avg_param)
