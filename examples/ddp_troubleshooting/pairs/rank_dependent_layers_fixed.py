import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

import toy


class Model(nn.Module):
    def __init__(self, use_extra_layer):
        super().__init__()
        layers = [nn.Linear(toy.WIDTH, 16), nn.Tanh()]
        if use_extra_layer:
            layers += [nn.Linear(16, 16), nn.Tanh()]
        self.layers = nn.Sequential(*layers, nn.Linear(16, 1))

    def forward(self, x):
        return self.layers(x)


def main():
    rank, device = toy.start()
    use_extra_layer = True
    model = DDP(Model(use_extra_layer).to(device))
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
