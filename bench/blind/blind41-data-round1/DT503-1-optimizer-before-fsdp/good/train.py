import functools
import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP, MixedPrecision
from torch.distributed.fsdp.wrap import transformer_auto_wrap_policy
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        return x + self.down(F.gelu(self.up(self.norm(x))))


def decay_groups(model, weight_decay):
    decay = [p for p in model.parameters() if p.dim() >= 2]
    plain = [p for p in model.parameters() if p.dim() < 2]
    return [{"params": decay, "weight_decay": weight_decay}, {"params": plain, "weight_decay": 0.0}]


def main(epochs=1):
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = nn.Sequential(nn.Embedding(1000, 64), Layer(64), Layer(64), nn.Linear(64, 1000))
    policy = functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={Layer})
    bf16 = MixedPrecision(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    model = FSDP(model, auto_wrap_policy=policy, mixed_precision=bf16, device_id=local, use_orig_params=True)
    optimizer = torch.optim.AdamW(decay_groups(model, 0.1), lr=3e-4)
    tokens = torch.randint(0, 1000, (4096, 65))
    data = TensorDataset(tokens[:, :-1], tokens[:, 1:])
    sampler = DistributedSampler(data, shuffle=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for src, dst in loader:
            loss = F.cross_entropy(model(src.cuda()).flatten(0, 1), dst.cuda().flatten())
            optimizer.zero_grad()
            loss.backward()
            model.clip_grad_norm_(1.0)
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
