import os

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

from exchange import Exchange


def build(device):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(12, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 3)).to(device)
    with torch.no_grad():
        for tensor in model.state_dict().values():
            dist.broadcast(tensor, 0)
    return model


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    try:
        model = build(device)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, weight_decay=1e-4)
        g = torch.Generator().manual_seed(77)
        data = TensorDataset(torch.randn(384, 12, generator=g), torch.randint(0, 3, (384,), generator=g))
        sampler = DistributedSampler(data, drop_last=True)
        loader = DataLoader(data, batch_size=24, sampler=sampler, drop_last=True)
        exchange = Exchange()
        for epoch in range(2):
            sampler.set_epoch(epoch)
            for x, y in loader:
                optimizer.zero_grad()
                nn.functional.cross_entropy(model(x.to(device)), y.to(device)).backward()
                exchange.run(model)
                optimizer.step()
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
