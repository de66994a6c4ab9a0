import os
import tempfile
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def scratch_folder():
    name = [tempfile.mkdtemp(prefix="scores-", dir="/shared/tmp") if dist.get_rank() == 0 else None]
    dist.broadcast_object_list(name, src=0)
    return Path(name[0])


def score(model, loader, device):
    model.eval()
    with torch.inference_mode():
        return np.concatenate([model(x.to(device)).squeeze(1).cpu().numpy() for (x,) in loader])


def collect(folder, world):
    parts = [np.load(folder / f"part{rank}.npy") for rank in range(world)]
    return np.concatenate(parts)


def main(weights="/shared/models/ranker.pt"):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    rank, world = dist.get_rank(), dist.get_world_size()
    model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 1)).to(device)
    model.load_state_dict(torch.load(weights, map_location=device))
    rows = torch.randn(100_000, 16, generator=torch.Generator().manual_seed(3))
    data = TensorDataset(rows)
    loader = DataLoader(data, batch_size=512, sampler=DistributedSampler(data, shuffle=False))
    folder = scratch_folder()
    np.save(folder / f"part{rank}.npy", score(model, loader, device))
    dist.barrier()
    if rank == 0:
        scores = collect(folder, world)
        print(f"{len(scores)} scores, mean {scores.mean():.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
