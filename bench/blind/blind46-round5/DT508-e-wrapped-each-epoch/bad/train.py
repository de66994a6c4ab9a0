import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Runner:
    def __init__(self, net, device, lr=0.1):
        self.model, self.device = net.to(device), device
        self.optimizer = torch.optim.SGD(net.parameters(), lr=lr)

    def parallel(self):
        ids = [self.device.index] if self.device.type == "cuda" else None
        return DDP(self.model, device_ids=ids)

    def epoch(self, loader):
        self.model = self.parallel()
        self.model.train()
        for x, y in loader:
            self.optimizer.zero_grad(set_to_none=True)
            F.cross_entropy(self.model(x.to(self.device)), y.to(self.device)).backward()
            self.optimizer.step()


def main(epochs=3):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    runner = Runner(nn.Linear(10, 3), device)
    x = torch.randn(480, 10, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x[:, :3].argmax(1))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        runner.epoch(loader)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
