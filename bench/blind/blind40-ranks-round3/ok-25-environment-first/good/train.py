import settings  # noqa: F401  (first: what it sets is read at import)

import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def loader_options(workers):
    options = {"num_workers": workers, "pin_memory": torch.cuda.is_available(), "drop_last": True}
    if workers:
        options.update(persistent_workers=True, prefetch_factor=4, timeout=120)
    return options


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(nn.Linear(21, 7).to(device), device_ids=[local_rank] if cuda else None)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(840, 21, generator=torch.Generator().manual_seed(8))
    data = TensorDataset(x, x[:, :7].argmax(1))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=21, sampler=sampler, **loader_options(int(os.environ.get("WORKERS", "0"))))
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for xb, yb in loader:
            opt.zero_grad(set_to_none=True)
            nn.functional.cross_entropy(model(xb.to(device)), yb.to(device)).backward()
            opt.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "linear.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
