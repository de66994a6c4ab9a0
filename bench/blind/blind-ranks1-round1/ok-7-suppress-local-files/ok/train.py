import json
import os
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from files import read_with_patience, remove_quietly


def load_settings(path, rank):
    box = [json.loads(read_with_patience(path)) if rank == 0 else None]
    dist.broadcast_object_list(box, src=0)
    return box[0]


def memory_note():
    try:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    except ImportError:
        return None


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    settings = load_settings("settings.json", rank)
    torch.manual_seed(settings["seed"])
    model = DDP(nn.Linear(5, 1).to(device), device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.Adam(model.parameters(), lr=settings["lr"])
    x = torch.randn(256, 5, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x.sum(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    for epoch in range(settings["epochs"]):
        sampler.set_epoch(epoch)
        for a, b in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(a.to(device)), b.to(device)).backward()
            optimizer.step()
        if rank == 0:
            torch.save(model.module.state_dict(), f"epoch_{epoch}.pt")
            remove_quietly(sorted(Path().glob("epoch_*.pt"))[:-2])
        dist.barrier()
    note = memory_note()
    if rank == 0 and note is not None:
        print(f"peak memory {note}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
