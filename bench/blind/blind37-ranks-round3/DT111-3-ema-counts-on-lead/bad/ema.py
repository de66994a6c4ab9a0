import copy
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Average:
    """An exponential average of the weights; every `share` updates all ranks get rank 0's."""

    def __init__(self, net, decay=0.99, share=10):
        self.net = copy.deepcopy(net).requires_grad_(False)
        self.decay, self.share = decay, share
        self.updates = 0

    @torch.no_grad()
    def update(self, net):
        self.updates += 1
        for mine, theirs in zip(self.net.parameters(), net.parameters()):
            mine.lerp_(theirs, 1 - self.decay)

    @torch.no_grad()
    def spread(self):
        if self.updates % self.share == 0:
            for p in self.net.parameters():
                dist.broadcast(p, src=0)


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(5, 15), nn.ReLU(), nn.Linear(15, 1)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    average = Average(net)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(400, 5, generator=torch.Generator().manual_seed(3))
    data = TensorDataset(x, x.sum(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=10, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for a, b in loader:
            opt.zero_grad()
            nn.functional.mse_loss(model(a.to(device)), b.to(device)).backward()
            opt.step()
            if dist.get_rank() == 0:
                average.update(net)
            average.spread()
    if dist.get_rank() == 0:
        torch.save(average.net.state_dict(), "average.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
