"""File names from a listing: made one order, shuffled by one seed, cut to a multiple of the ranks, then dealt out."""
import os
import random
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def share(folder, rank, world, epoch, seed=17):
    names = set(os.listdir(folder)) - {"README.txt", ".index"}
    names = sorted(names, key=lambda name: (len(name), name))
    random.Random(f"{seed}/{epoch}").shuffle(names)
    whole = len(names) - len(names) % world
    return [Path(folder) / name for name in names[rank:whole:world]]


def stale(folder, keep):
    """How many checkpoints too many are there?"""
    return max(0, sum(name.endswith(".ckpt") for name in os.listdir(folder)) - keep)


def main():
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    device = torch.device("cuda", local)
    dist.init_process_group("nccl", device_id=device)
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    out = Path("checkpoints")
    out.mkdir(exist_ok=True)
    model = DDP(nn.GRU(40, 80, batch_first=True).to(device), device_ids=[local])
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(10):
        for path in share("/data/sequences", rank, world, epoch):
            x = torch.load(path, map_location=device, weights_only=True)
            states, _ = model(x[:, :-1])
            loss = nn.functional.mse_loss(states[..., :40], x[:, 1:])
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        if rank == 0:
            torch.save(model.module.state_dict(), out / f"{epoch:03d}.ckpt")
            for old in sorted(out.glob("*.ckpt"))[: stale(out, keep=3)]:
                old.unlink()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
