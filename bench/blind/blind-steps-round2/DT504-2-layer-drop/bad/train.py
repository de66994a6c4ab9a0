import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from blocks import DeepNet


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DistributedDataParallel(DeepNet().to(device), device_ids=[local] if cuda else None)
    opt = torch.optim.AdamW(model.parameters(), lr=3e-4)
    torch.manual_seed(100 + dist.get_rank())
    g = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(1600, 32, generator=g), torch.randint(0, 4, (1600,), generator=g))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for x, y in loader:
            opt.zero_grad(set_to_none=True)
            nn.functional.cross_entropy(model(x.to(device)), y.to(device)).backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
