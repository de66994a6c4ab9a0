import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn

from packing.corpus import documents
from packing.packer import Packer


def average_gradients(model):
    flat = torch.cat([p.grad.flatten() for p in model.parameters()])
    dist.all_reduce(flat)
    flat /= dist.get_world_size()
    for p, g in zip(model.parameters(), flat.split([p.numel() for p in model.parameters()])):
        p.grad.copy_(g.view_as(p))


def as_long_as_all(batches, device):
    """Stops on all ranks with the first one that has nothing left."""
    for batch in batches:
        more = torch.ones(1, device=device)
        dist.all_reduce(more, op=dist.ReduceOp.MIN)
        if not more.item():
            return
        yield batch
    dist.all_reduce(torch.zeros(1, device=device), op=dist.ReduceOp.MIN)


def main():
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    model = nn.Sequential(nn.Embedding(1000, 32), nn.Linear(32, 1000)).cuda()
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    batches = Packer(128, 16)(documents("/data/web", rank, world))
    batches = as_long_as_all(batches, torch.device("cuda", local))
    for batch in batches:
        batch = batch.cuda()
        loss = F.cross_entropy(model(batch[:, :-1]).flatten(0, 1), batch[:, 1:].flatten())
        opt.zero_grad()
        loss.backward()
        average_gradients(model)
        opt.step()
    if rank == 0:
        torch.save(model.state_dict(), "lm.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
