import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.distributed.nn.functional import all_reduce

from model import SplitClassifier


def banner(model, steps):
    print(f"{model.size / 1e3:.1f} thousand parameters on {model.world} ranks, {steps} steps")


def batches(steps, device):
    g = torch.Generator().manual_seed(5)  # the ranks hold slices of one model: they share each batch
    for _ in range(steps):
        x = torch.randn(32, 24, generator=g)
        yield x.to(device), x[:, :6].argmax(1).to(device)


def main(steps=60):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(100 + rank)
    model = SplitClassifier(rank, world).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    model.size
    if rank == 0:
        banner(model, steps)
    for x, y in batches(steps, device):
        logits = all_reduce(model(x))
        loss = F.cross_entropy(logits, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    torch.save(model.state_dict(), f"slice_{rank}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
