import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


class Clipper:
    def __init__(self, most):
        self.most = most

    def __call__(self, model):
        if isinstance(model, FSDP):
            return model.clip_grad_norm_(self.most)
        return torch.nn.utils.clip_grad_norm_(model.parameters(), self.most)
