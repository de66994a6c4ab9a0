import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

import clip


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    x = torch.randn(256, 8)
    data = TensorDataset(x[:, :4], x[:, 2:])
    sampler = DistributedSampler(data, drop_last=True)
    model = DistributedDataParallel(clip.Pairs(4, 6, 12))
    optimizer = torch.optim.Adam(model.parameters())
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for a, b in DataLoader(data, 16, sampler=sampler, drop_last=True):
            optimizer.zero_grad()
            clip.loss(*model(a, b)).backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
