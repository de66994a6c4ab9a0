import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler

from lazy import Crops


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    data = Crops(torch.load("images.pt", map_location="cpu"), 48, 0, dist.get_rank())
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 64, sampler=sampler, num_workers=4, drop_last=True, persistent_workers=True)
    net = nn.Sequential(nn.Conv2d(3, 16, 3), nn.ReLU(), nn.Conv2d(16, 3, 3, padding=2)).cuda()
    net = DistributedDataParallel(net, device_ids=[local_rank])
    optimizer = torch.optim.Adam(net.parameters())
    for epoch in range(5):
        sampler.set_epoch(epoch)
        for crop in loader:
            crop = crop.cuda(non_blocking=True)
            loss = nn.functional.l1_loss(net(crop), crop)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(net.module.state_dict(), "crops.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
