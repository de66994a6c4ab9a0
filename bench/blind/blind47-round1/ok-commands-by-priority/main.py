import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from commands import Agenda, ReduceCount, ReduceLoss, Show


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(2, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    noise = torch.Generator().manual_seed(11 * (1 + dist.get_rank()))
    for _ in range(5):
        x = torch.randn(8, 2, generator=noise)
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        agenda = Agenda()
        agenda.plan(ReduceLoss(), 1)
        if dist.get_rank() == 0:
            agenda.plan(Show(), 99)
        agenda.plan(ReduceCount(), 2)
        agenda.run({"loss": loss.detach().clone(), "count": torch.tensor(float(len(x)))})
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
