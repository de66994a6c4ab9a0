import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from callbacks import Progress, SampleTable


class Loop:
    def __init__(self, callbacks):
        self.callbacks = list(callbacks)

    def emit(self, event, *args):
        for cb in self.callbacks:
            cb.dispatch(event, *args)

    def run(self, epochs=2):
        cuda = torch.cuda.is_available()
        local_rank = int(os.environ["LOCAL_RANK"])
        if cuda:
            torch.cuda.set_device(local_rank)
        dist.init_process_group("nccl" if cuda else "gloo")
        device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
        torch.manual_seed(0)
        model = DDP(nn.Linear(6, 2).to(device), device_ids=[local_rank] if cuda else None)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        x = torch.randn(320, 6, generator=torch.Generator().manual_seed(0))
        data = TensorDataset(x, (x[:, 0] > 0).long())
        sampler = DistributedSampler(data, drop_last=True)
        loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
        for epoch in range(epochs):
            sampler.set_epoch(epoch)
            for bx, by in loader:
                optimizer.zero_grad(set_to_none=True)
                logits = model(bx.to(device))
                F.cross_entropy(logits, by.to(device)).backward()
                optimizer.step()
            self.emit("epoch_end", epoch, int(logits[0].argmax()))
        dist.destroy_process_group()


if __name__ == "__main__":
    Loop([Progress(), SampleTable()]).run()
