"""Optical flow; what the loop has to tell goes to a list of listeners."""
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
from torch.utils.tensorboard import SummaryWriter


class Listener:
    def started(self, settings): ...
    def told(self, step, **values): ...
    def ended(self): ...


class Board(Listener):
    def __init__(self, folder):
        self.writer = SummaryWriter(folder)

    def started(self, settings):
        self.writer.add_text("settings", str(settings))

    def told(self, step, **values):
        for name, value in values.items():
            self.writer.add_scalar(name, value, step)

    def ended(self):
        self.writer.close()


class Console(Listener):
    def told(self, step, **values):
        if dist.get_rank() == 0:
            print(step, {name: round(value, 4) for name, value in values.items()}, flush=True)


def frames(rows=2000):
    g = torch.Generator().manual_seed(0)
    pair = torch.randn(rows, 2, 24, 24, generator=g)
    return TensorDataset(pair, pair[:, :1] - pair[:, 1:])


def main(epochs=4):
    settings = {"lr": 1e-3, "batch": 40}
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    device = torch.device("cuda", local)
    dist.init_process_group("nccl", device_id=device)
    torch.manual_seed(0)
    listeners = [Console(), *([Board("runs/flow")] if dist.get_rank() == 0 else [])]
    for listener in listeners:
        listener.started(settings)
    rows = frames()
    sampler = DistributedSampler(rows, drop_last=True)
    loader = DataLoader(rows, settings["batch"], sampler=sampler, drop_last=True)
    net = nn.Sequential(nn.Conv2d(2, 32, 5, padding=2), nn.ReLU(), nn.Conv2d(32, 1, 3, padding=1)).to(device)
    model = DDP(net, device_ids=[local])
    optimizer = torch.optim.Adam(model.parameters(), lr=settings["lr"])
    step = 0
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for pair, flow in loader:
            loss = nn.functional.l1_loss(model(pair.to(device)), flow.to(device))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            step += 1
            if step % 20 == 0:
                shown = loss.detach().clone()
                dist.all_reduce(shown, op=dist.ReduceOp.AVG)
                for listener in listeners:
                    listener.told(step, loss=shown.item())
    for listener in listeners:
        listener.ended()
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "flow.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
