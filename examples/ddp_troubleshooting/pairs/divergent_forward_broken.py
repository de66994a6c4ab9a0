import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

import toy


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = toy.network()
        self.extra = nn.Linear(toy.WIDTH, 1)

    def forward(self, x, extra_term=False):
        output = self.body(x)
        if extra_term:
            output = output + self.extra(x)
        return output


def main():
    rank, device = toy.start()
    model = DDP(Model().to(device))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    loader, sampler = toy.sharded_loader()
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            if rank == 0:
                output = model(x)
            else:
                output = model(x, extra_term=True)
            loss = nn.functional.mse_loss(output, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"rank {rank} done")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
