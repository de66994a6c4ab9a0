"""Protein sequence model with FSDP1 and per-block wrapping."""
import functools
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.fsdp import FullyShardedDataParallel, ShardingStrategy
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Encoder(nn.Module):
    def __init__(self, vocab=33, width=1280, depth=24):
        super().__init__()
        self.embed = nn.Embedding(vocab, width)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(width, 20, 4 * width, batch_first=True, norm_first=True) for _ in range(depth)
        )
        self.out = nn.Linear(width, vocab)

    def forward(self, ids, hidden):
        x = self.embed(ids.masked_fill(hidden, 32))
        for layer in self.layers:
            x = layer(x)
        return nn.functional.cross_entropy(self.out(x)[hidden], ids[hidden])


class Stepper:
    def __init__(self, model, lr, max_norm):
        self.model, self.max_norm = model, max_norm
        self.optimizer = torch.optim.AdamW(model.parameters(), lr)

    def step(self, loss):
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)


def main(epochs=2):
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    wrap = functools.partial(
        FullyShardedDataParallel,
        auto_wrap_policy=ModuleWrapPolicy({nn.TransformerEncoderLayer}),
        sharding_strategy=ShardingStrategy.FULL_SHARD,
        device_id=torch.cuda.current_device(),
        use_orig_params=True,
    )
    model = wrap(Encoder())
    torch.manual_seed(1 + dist.get_rank())
    stepper = Stepper(model, 2e-4, 1.0)
    data = TensorDataset(torch.load("proteins.pt", map_location="cpu", mmap=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 16, sampler=sampler, num_workers=2, pin_memory=True, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for (ids,) in loader:
            ids = ids.long().cuda(non_blocking=True)
            stepper.step(model(ids, torch.rand(ids.shape, device=ids.device) < 0.15))
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
