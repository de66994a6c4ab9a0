"""Each rank has a file of its own length; Join shadows the ranks that are done."""
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.algorithms.join import Join
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset


def main(epochs=5):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    rank = dist.get_rank()
    data = TensorDataset(*torch.load(f"part_{rank:02d}.pt", map_location="cpu"))
    gen = torch.Generator().manual_seed(70 + rank)
    loader = DataLoader(data, 64, shuffle=True, generator=gen)
    model = DDP(nn.Sequential(nn.Linear(32, 128), nn.ReLU(), nn.Linear(128, 1)).cuda(), device_ids=[local_rank])
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    for epoch in range(epochs):
        sums = torch.zeros(2, device="cuda")
        with Join([model]):
            for x, y in loader:
                loss = nn.functional.mse_loss(model(x.cuda()), y.cuda())
                optimizer.zero_grad(set_to_none=True)
                loss.backward()
                optimizer.step()
                sums += torch.stack([loss.detach() * len(x), torch.tensor(float(len(x)), device="cuda")])
        dist.all_reduce(sums)
        if rank == 0:
            print(f"epoch {epoch} {(sums[0] / sums[1]).item():.4f}", flush=True)
    if rank == 0:
        torch.save(model.module.state_dict(), "uneven.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
