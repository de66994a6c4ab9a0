import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.optim.lr_scheduler import CosineAnnealingLR
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Setup:
    def __init__(self, lr, steps):
        self.lr, self.steps = lr, steps

    def model(self):
        return nn.Sequential(nn.Linear(64, 1024), nn.ReLU(), nn.Linear(1024, 64))

    def optim(self, params):
        optimizer = torch.optim.AdamW(params, lr=self.lr)
        return optimizer, CosineAnnealingLR(optimizer, self.steps)


def main(epochs=2):
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    x = torch.randn(16_384, 64)
    data = TensorDataset(x, x.flip(1))
    sampler = DistributedSampler(data)
    loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
    setup = Setup(1e-3, epochs * len(loader))
    model = setup.model()
    optimizer, schedule = setup.optim(model.parameters())
    model = FSDP(model, device_id=local, sync_module_states=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for xb, yb in loader:
            optimizer.zero_grad()
            F.mse_loss(model(xb.cuda()), yb.cuda()).backward()
            model.clip_grad_norm_(1.0)
            optimizer.step()
            schedule.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
