import os
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class State:
    def __init__(self, path, **parts):
        self.path, self.parts, self.epoch = Path(path), parts, 0

    def save(self):
        if dist.get_rank() == 0:
            held = {name: part.state_dict() for name, part in self.parts.items()}
            torch.save({"epoch": self.epoch, **held}, self.path)
        dist.barrier()

    def restore(self):
        if not self.path.exists():
            return
        held = torch.load(self.path)
        self.epoch = held["epoch"] + 1
        for name, part in self.parts.items():
            part.load_state_dict(held[name])


def main(epochs=20):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    x = torch.randn(16_384, 24, generator=torch.Generator().manual_seed(2))
    data = TensorDataset(x, x.relu().sum(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
    net = nn.Sequential(nn.Linear(24, 64), nn.ReLU(), nn.Linear(64, 1)).cuda()
    model = DDP(net, device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 5, 0.5)
    state = State("/shared/runs/relu/state.pt", model=model, optimizer=optimizer, schedule=schedule)
    state.restore()
    while state.epoch < epochs:
        sampler.set_epoch(state.epoch)
        for a, b in loader:
            loss = F.mse_loss(model(a.cuda(non_blocking=True)), b.cuda(non_blocking=True))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        schedule.step()
        state.save()
        state.epoch += 1
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
