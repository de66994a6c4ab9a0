import os
import pathlib

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler

from data import digits

OUT = pathlib.Path("/nfs/out")


def main():
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    data = digits("https://example.org/digits.npz")
    sampler = DistributedSampler(data, seed=1)
    loader = DataLoader(data, 64, sampler=sampler, drop_last=True)
    torch.manual_seed(0)
    net = nn.Sequential(nn.Flatten(), nn.Linear(64, 10)).cuda()
    model = DDP(net, device_ids=[local])
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in loader:
            opt.zero_grad(set_to_none=True)
            nn.functional.cross_entropy(model(x.cuda()), y.cuda()).backward()
            opt.step()
    if dist.get_rank() == 0:
        OUT.mkdir(parents=True, exist_ok=True)
        torch.save(net.state_dict(), OUT / "digits.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
