import contextlib
import os
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


@contextlib.contextmanager
def rank_zero_first():
    """Rank 0 runs the body before everybody else does."""
    lead = dist.get_rank() == 0
    if not lead:
        dist.barrier()
    yield lead
    if lead:
        dist.barrier()


def features(cache):
    if cache.exists():
        return torch.load(cache, map_location="cpu")
    raw = torch.randn(512, 11, generator=torch.Generator().manual_seed(0))
    made = {"x": (raw - raw.mean(0)) / raw.std(0), "y": (raw[:, 0] > 0).long()}
    temporary = cache.with_suffix(".part")
    torch.save(made, temporary)
    temporary.rename(cache)
    return made


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    with rank_zero_first() as lead:
        if lead:
            Path("cache").mkdir(exist_ok=True)
        table = features(Path("cache") / "features.pt")
    data = TensorDataset(table["x"], table["y"])
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    torch.manual_seed(0)
    net = nn.Linear(11, 2).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for x, y in loader:
            opt.zero_grad()
            nn.functional.cross_entropy(model(x.to(device)), y.to(device)).backward()
            opt.step()
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "linear.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
