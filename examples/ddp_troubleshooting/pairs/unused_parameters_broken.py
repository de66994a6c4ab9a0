import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

import toy


class Model(nn.Module):
    def __init__(self, auxiliary):
        super().__init__()
        self.body = toy.network()
        self.auxiliary_head = nn.Linear(toy.WIDTH, 1)
        self.auxiliary = auxiliary

    def forward(self, x):
        output = self.body(x)
        if self.auxiliary:
            output = output + self.auxiliary_head(x)
        return output


def main():
    rank, device = toy.start()
    model = DDP(Model(auxiliary=False).to(device))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    loader, sampler = toy.sharded_loader()
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x.to(device)), y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(f"rank {rank} done")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
