import functools
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import size_based_auto_wrap_policy
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Regressor(nn.Module):
    def __init__(self, dim=128):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, dim), nn.ReLU())
        self.head = nn.Linear(dim, 1)

    def forward(self, x):
        return self.head(self.backbone(x))


def trainable(module):
    return [p for p in module.parameters() if p.requires_grad]


def main():
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    net = Regressor()
    if dist.get_rank() == 0:
        print(f"{sum(p.numel() for p in trainable(net)):,} trainable parameters")
    policy = functools.partial(size_based_auto_wrap_policy, min_num_params=10_000)
    model = FSDP(net, auto_wrap_policy=policy, device_id=local)
    params = trainable(model)
    optimizer = torch.optim.AdamW(params, lr=2e-4)
    g = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(4096, 128, generator=g), torch.randn(4096, 1, generator=g))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(x.cuda()), y.cuda()).backward()
            model.clip_grad_norm_(1.0)
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
