import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from preempt import Preemption


def anyone(flag, device):
    value = torch.tensor(float(flag), device=device)
    dist.all_reduce(value, op=dist.ReduceOp.MAX)
    return bool(value.item())


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(13, 26), nn.GELU(), nn.Linear(26, 13)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    preemption = Preemption(net, optimizer, os.environ.get("CKPT", "ckpt"))
    data = TensorDataset(torch.randn(1300, 13, generator=torch.Generator().manual_seed(1)))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=26, sampler=sampler, drop_last=True)
    for epoch in range(20):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.to(device)
            loss = nn.functional.mse_loss(model(x), x)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            preemption.step += 1
    preemption.save()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
