import torch
import torch.distributed as dist
from torch._utils import _flatten_dense_tensors, _unflatten_dense_tensors


class BucketedReducer:
    """Averages gradients in buckets while the rest of the step goes on."""

    def __init__(self, parameters, bucket_numel=1 << 12):
        self.world = dist.get_world_size()
        self.buckets = []
        current, count = [], 0
        for parameter in parameters:
            current.append(parameter)
            count += parameter.numel()
            if count >= bucket_numel:
                self.buckets.append(current)
                current, count = [], 0
        if current:
            self.buckets.append(current)
        self.pending = []

    def launch(self):
        for bucket in self.buckets:
            grads = [p.grad for p in bucket]
            flat = _flatten_dense_tensors(grads)
            work = dist.all_reduce(flat, async_op=True)
            self.pending.append((work, flat, grads))

    def finish(self):
        for work, flat, grads in self.pending:
            work.wait()
            for grad, reduced in zip(grads, _unflatten_dense_tensors(flat, grads)):
                grad.copy_(reduced).div_(self.world)
        self.pending.clear()
