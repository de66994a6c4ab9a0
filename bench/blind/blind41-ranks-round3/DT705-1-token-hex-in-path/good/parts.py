import os
import secrets

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def folder():
    box = [secrets.token_hex(4)]
    dist.broadcast_object_list(box, src=0)
    name = box[0]
    path = os.path.join("/shared/predictions", name)
    os.makedirs(path, exist_ok=True)
    return path


@torch.no_grad()
def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    rank = dist.get_rank()
    model = nn.Linear(12, 3)
    model.load_state_dict(torch.load("model.pt", map_location="cpu"))
    model.cuda().eval()
    gen = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(1200, 12, generator=gen))
    loader = DataLoader(data, batch_size=50, sampler=DistributedSampler(data, shuffle=False))
    path = folder()
    parts = torch.cat([model(x.cuda()).cpu() for (x,) in loader])
    torch.save(parts, os.path.join(path, f"part{rank}.pt"))
    dist.barrier()
    if rank == 0:
        whole = [torch.load(os.path.join(path, f"part{r}.pt"), map_location="cpu") for r in range(dist.get_world_size())]
        torch.save(torch.cat(whole), os.path.join(path, "all.pt"))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
