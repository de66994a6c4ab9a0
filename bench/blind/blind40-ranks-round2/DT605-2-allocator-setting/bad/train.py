from env import apply_defaults

apply_defaults()

import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class ConvNet(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 16, 3, stride=2), nn.ReLU(), nn.Conv2d(16, 32, 3, stride=2), nn.ReLU())
        self.head = nn.LazyLinear(classes)

    def forward(self, x):
        return self.head(self.features(x).flatten(1))


def images(n=512):
    g = torch.Generator().manual_seed(21)
    x = torch.rand(n, 3, 32, 32, generator=g)
    return TensorDataset(x, (10 * x.mean(dim=(1, 2, 3))).long().clamp(max=9))


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank)
    dist.init_process_group("nccl", device_id=device)
    torch.manual_seed(0)
    net = ConvNet().to(device)
    net(torch.zeros(1, 3, 32, 32, device=device))
    model = DDP(net, device_ids=[local_rank])
    opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    data = images()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, num_workers=2, pin_memory=True, drop_last=True)
    for epoch in range(5):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device))
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "convnet.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
