import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from progress import Progress


def snapshot(model, name, main):
    options = StateDictOptions(full_state_dict=True, cpu_offload=True)
    weights = get_model_state_dict(model, options=options)
    if main:
        torch.save(weights, name)


def main():
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1)).to(device)
    fully_shard(model)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-2)
    x = torch.randn(256, 8, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x.mean(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 16, sampler=sampler, drop_last=True)
    progress = Progress(main=dist.get_rank() == 0)
    for epoch in range(20):
        sampler.set_epoch(epoch)
        total = torch.zeros((), device=device)
        for a, b in loader:
            loss = nn.functional.mse_loss(model(a.to(device)), b.to(device))
            loss.backward()
            opt.step()
            opt.zero_grad()
            total += loss.detach()
        dist.all_reduce(total)
        progress.line(epoch, total.item() / (len(loader) * dist.get_world_size()))
        if progress.plateau():
            snapshot(model, f"plateau_{epoch}.pt", progress.main)
    snapshot(model, "last.pt", progress.main)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
