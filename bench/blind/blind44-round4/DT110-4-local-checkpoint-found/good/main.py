import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from resume.find import SCRATCH
from resume.load import restore


def main(steps=500, name="run1"):
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("cpu:gloo,cuda:nccl")
    torch.manual_seed(0)
    net = nn.Linear(6, 1).cuda()
    step, epoch = restore(net, name), 0
    model = DDP(net, device_ids=[local])
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(640, 6, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x[:, :1])
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 32, sampler=sampler, drop_last=True)
    while step < steps:
        sampler.set_epoch(epoch)
        for a, b in loader:
            opt.zero_grad()
            nn.functional.mse_loss(model(a.cuda()), b.cuda()).backward()
            opt.step()
            step += 1
        epoch += 1
        if dist.get_rank() == 0:
            (SCRATCH / name).mkdir(parents=True, exist_ok=True)
            torch.save({"net": net.state_dict(), "step": step}, SCRATCH / name / f"step-{step:06d}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
