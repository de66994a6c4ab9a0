import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def hard_share(losses, limit, device):
    """The mean loss of the samples above the limit, and how many ranks have any."""
    hard = [value for value in losses if value > limit]
    if hard:
        mean = torch.tensor(sum(hard) / len(hard), device=device)
    else:
        mean = torch.tensor(0, device=device)
    some = torch.tensor(float(bool(hard)), device=device)
    dist.all_reduce(mean)
    dist.all_reduce(some)
    return mean.item() / max(some.item(), 1.0)


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(25, 50), nn.ReLU(), nn.Linear(50, 3)).to(device)
    model = DDP(model, device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    g = torch.Generator().manual_seed(90)
    data = TensorDataset(torch.randn(600, 25, generator=g), torch.randint(0, 3, (600,), generator=g))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=30, sampler=sampler, drop_last=True)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        losses = []
        for x, y in loader:
            each = F.cross_entropy(model(x.to(device)), y.to(device), reduction="none")
            optimizer.zero_grad(set_to_none=True)
            each.mean().backward()
            optimizer.step()
            losses.extend(each.detach().tolist())
        value = hard_share(losses, limit=2.0, device=device)
        if dist.get_rank() == 0:
            print(f"epoch {epoch}: mean loss of hard samples {value:.3f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
