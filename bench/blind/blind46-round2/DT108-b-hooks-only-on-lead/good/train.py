import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from export import export
from hooks import Hooks


def main(epochs=2):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    device = torch.device("cuda", local_rank)
    torch.manual_seed(0)
    model = FSDP(nn.Sequential(nn.Linear(32, 128), nn.ReLU(), nn.Linear(128, 32)).to(device))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    hooks = Hooks()
    if dist.get_rank() == 0:
        hooks.on("epoch_end")(lambda epoch, **_: print("end of epoch", epoch))
    hooks.on("epoch_end")(export)
    x = torch.randn(1024, 32, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for (bx,) in loader:
            bx = bx.to(device)
            optimizer.zero_grad(set_to_none=True)
            F.mse_loss(model(bx), bx).backward()
            optimizer.step()
        hooks.fire("epoch_end", model=model, epoch=epoch)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
