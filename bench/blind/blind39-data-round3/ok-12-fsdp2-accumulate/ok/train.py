import os

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.checkpoint.state_dict import get_model_state_dict
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Mixer(nn.Module):
    def __init__(self, dim=128, depth=3):
        super().__init__()
        self.layers = nn.ModuleList(nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, dim), nn.GELU()) for _ in range(depth))
        self.head = nn.Linear(dim, 16)

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return self.head(x)


def main(epochs=3, accumulate=4):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("cpu:gloo,cuda:nccl")
    torch.manual_seed(0)
    model = Mixer().cuda()
    for layer in model.layers:
        fully_shard(layer)
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    gen = torch.Generator().manual_seed(5)
    x = torch.randn(8192, 128, generator=gen)
    data = TensorDataset(x, x[:, :16].argmax(dim=1))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    usable = len(loader) // accumulate * accumulate
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for index, (x, y) in zip(range(usable), loader):
            last = (index + 1) % accumulate == 0
            model.set_requires_gradient_sync(last)
            loss = F.cross_entropy(model(x.cuda()), y.cuda()) / accumulate
            loss.backward()
            if last:
                norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)
        shown = norm.full_tensor() if hasattr(norm, "full_tensor") else norm
        if dist.get_rank() == 0:
            print(f"epoch {epoch} grad norm {shown.item():.3f}")
        dcp.save({"model": get_model_state_dict(model)}, checkpoint_id=f"/shared/mixer/epoch_{epoch}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
