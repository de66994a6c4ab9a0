import torch
import torch.distributed as dist


class Weights:
    def __init__(self, model):
        self._model, self.version = model, 0

    @property
    def best(self):
        return self._best

    @best.setter
    def best(self, state):
        self._best = {name: value.clone() for name, value in state.items()}

    def publish(self):
        for p in self._model.parameters():
            dist.broadcast(p.data, src=0)
