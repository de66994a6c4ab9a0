import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from mem.model import Classifier
from mem.retry import guarded


class Learner:
    def __init__(self, model, opt):
        self.model, self.opt = model, opt

    def closure(self, x, y):
        self.opt.zero_grad()
        loss = F.cross_entropy(self.model(x), y)
        loss.backward()
        self.opt.step()
        return loss.detach()

    def epoch(self, loader):
        done = 0
        for x, y in loader:
            loss = guarded(self.closure, x.cuda(), y.cuda())
            done += loss is not None
        return done


def main(epochs=2):
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = DDP(Classifier().cuda(), device_ids=[local])
    learner = Learner(model, torch.optim.AdamW(model.parameters()))
    x = torch.randint(0, 1000, (4096, 128), generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x[:, 0] % 2)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 64, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        learner.epoch(loader)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
