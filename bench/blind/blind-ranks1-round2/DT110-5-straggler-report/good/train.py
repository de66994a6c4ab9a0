import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from watch import StepWatch


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(nn.Bilinear(8, 8, 1).to(device), device_ids=[local_rank] if cuda else None)
    opt = torch.optim.SGD(model.parameters(), lr=1e-3)
    x = torch.randn(640, 8, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x.square().sum(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 16, sampler=sampler, drop_last=True)
    watch = StepWatch()
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for step, (a, b) in enumerate(loader):
            a, b = a.to(device), b.to(device)
            opt.zero_grad()
            nn.functional.huber_loss(model(a, a), b).backward()
            opt.step()
            watch.lap()
            if step % 10 == 9:
                host, seconds = watch.report()
                if dist.get_rank() == 0:
                    print(f"slowest: {host} with {seconds:.3f}s")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
