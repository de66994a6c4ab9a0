"""torch.distributed.pipelining with ScheduleGPipe; first and last stage differ."""
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.pipelining import PipelineStage, ScheduleGPipe


class Net(nn.Module):
    def __init__(self, layers=8, d=64):
        super().__init__()
        self.layers = nn.ModuleList(nn.Sequential(nn.Linear(d, d), nn.ReLU()) for _ in range(layers))
        self.head = nn.Linear(d, 10)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.head(x) if self.head is not None else x


def main():
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("nccl", device_id=device)
    torch.manual_seed(0)
    net = Net()
    per = len(net.layers) // world
    net.layers = net.layers[rank * per : (rank + 1) * per]
    if rank != world - 1:
        net.head = None
    stage = PipelineStage(net.to(device), rank, world, device)
    schedule = ScheduleGPipe(stage, n_microbatches=4, loss_fn=nn.functional.cross_entropy)
    optimizer = torch.optim.Adam(net.parameters(), 1e-3)
    g = torch.Generator().manual_seed(1)
    for step in range(100):
        x = torch.randn(32, 64, generator=g)
        y = torch.randint(10, (32,), generator=g)
        optimizer.zero_grad()
        if rank == 0:
            schedule.step(x.to(device))
        elif rank == world - 1:
            losses = []
            schedule.step(target=y.to(device), losses=losses)
            if step % 10 == 0:
                print(step, torch.stack(losses).mean().item())
        else:
            schedule.step()
        optimizer.step()
    dist.barrier()
    torch.save(net.state_dict(), f"stage{rank}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
