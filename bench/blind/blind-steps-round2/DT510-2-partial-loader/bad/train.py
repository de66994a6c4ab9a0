import functools
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

LAST = "/shared/exp7/last.pt"
read = functools.partial(torch.load, weights_only=True)


class Run:
    def __init__(self, local_rank):
        self.local_rank = local_rank
        self.net = nn.Linear(64, 10).cuda(local_rank)
        self.ddp = DistributedDataParallel(self.net, device_ids=[local_rank])
        self.opt = torch.optim.Adam(self.ddp.parameters(), lr=1e-3)
        self.epoch = 0

    def state_dict(self):
        return {"net": self.net.state_dict(), "opt": self.opt.state_dict(), "epoch": self.epoch}

    def load_state_dict(self, state):
        self.net.load_state_dict(state["net"])
        self.opt.load_state_dict(state["opt"])
        self.epoch = state["epoch"]


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    run = Run(local_rank)
    if os.path.exists(LAST):
        run.load_state_dict(read(LAST))
    g = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(6400, 64, generator=g), torch.randint(0, 10, (6400,), generator=g))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
    while run.epoch < 20:
        sampler.set_epoch(run.epoch)
        for x, y in loader:
            run.opt.zero_grad()
            nn.functional.cross_entropy(run.ddp(x.cuda()), y.cuda()).backward()
            run.opt.step()
        run.epoch += 1
        if dist.get_rank() == 0:
            torch.save(run.state_dict(), LAST)
        dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
