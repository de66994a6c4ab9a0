import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def train(steps):
    torch.manual_seed(0)
    model = DDP(nn.Linear(6, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    g = torch.Generator().manual_seed(100 + dist.get_rank())
    for _ in range(steps):
        x = torch.randn(32, 6, generator=g)
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()
    return model.module


def main():
    dist.init_process_group("gloo")
    try:
        model = train(200)
        if dist.get_rank() == 0:
            torch.save(model.state_dict(), "model.pt")
    finally:
        print("done", dist.get_rank())


if __name__ == "__main__":
    main()
