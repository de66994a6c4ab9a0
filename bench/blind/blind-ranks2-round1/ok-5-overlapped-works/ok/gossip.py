import os

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

from overlap import Neighbour, OverlappedAverage


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 8)).to(device)
    average = OverlappedAverage(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x = torch.randn(256, 8, generator=torch.Generator().manual_seed(4))
    data = TensorDataset(x, x.flip(1))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    fingerprint = torch.zeros(1, device=device)
    neighbour = Neighbour(fingerprint)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for inputs, targets in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(inputs.to(device)), targets.to(device)).backward()
            average.drain()
            optimizer.step()
        fingerprint = torch.stack([p.detach().sum() for p in model.parameters()]).sum().reshape(1)
        neighbour.start(fingerprint)
        theirs = neighbour.finish()
        torch.testing.assert_close(theirs, fingerprint)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
