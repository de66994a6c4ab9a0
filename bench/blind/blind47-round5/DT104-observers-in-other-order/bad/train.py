import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from observers import observers


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(4, 4))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    watching = observers(dist.get_rank() == 0)
    noise = torch.Generator().manual_seed(dist.get_rank())
    for step in range(20):
        optimizer.zero_grad()
        loss = model(torch.randn(8, 4, generator=noise)).square().mean()
        loss.backward()
        grads = [p.grad for p in model.parameters()]
        for one in watching:
            one.notify(loss, grads)
        optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
