import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

import toy

THRESHOLD = 0.0


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = toy.network()
        self.extra_layer = nn.Linear(toy.WIDTH, 1)

    def forward(self, x):
        output = self.body(x)
        if x.mean() > THRESHOLD:
            output = output + self.extra_layer(x)
        return output


def main():
    rank, device = toy.start()
    model = DDP(Model().to(device), find_unused_parameters=True)
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
