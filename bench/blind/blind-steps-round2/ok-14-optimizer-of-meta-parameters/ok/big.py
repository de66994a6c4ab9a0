import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard


class Stack(nn.Module):
    def __init__(self, dim=64, depth=4):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(dim, dim) for _ in range(depth))

    def reset(self):
        for layer in self.layers:
            nn.init.orthogonal_(layer.weight)
            nn.init.zeros_(layer.bias)

    def forward(self, x):
        for layer in self.layers:
            x = x + torch.tanh(layer(x))
        return x


class Session:
    def __init__(self, kind):
        self.kind = kind
        with torch.device("meta"):
            self.net = Stack()
        for layer in self.net.layers:
            fully_shard(layer)
        fully_shard(self.net)
        self.optimizer = torch.optim.AdamW(self.net.parameters(), lr=1e-3)
        self.materialise()

    def materialise(self):
        self.net.to_empty(device=self.kind)
        torch.manual_seed(0)
        self.net.reset()

    def step(self, x):
        loss = self.net(x).square().mean()
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        return loss.detach()


def main():
    kind = "cuda" if torch.cuda.is_available() else "cpu"
    if kind == "cuda":
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if kind == "cuda" else "gloo")
    session = Session(kind)
    draw = torch.Generator().manual_seed(10 + dist.get_rank())
    for i in range(20):
        loss = session.step(torch.randn(8, 64, generator=draw).to(kind))
        dist.all_reduce(loss)
        if dist.get_rank() == 0:
            print(i, loss.item() / dist.get_world_size())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
