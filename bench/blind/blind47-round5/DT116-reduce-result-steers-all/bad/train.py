import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from scaler import Scaler


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(8, 8))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    scaler = Scaler()
    noise = torch.Generator().manual_seed(dist.get_rank())
    for _ in range(300):
        optimizer.zero_grad()
        loss = model(torch.randn(4, 8, generator=noise)).square().mean()
        (loss * scaler.scale).backward()
        bad = torch.tensor(float(any(not torch.isfinite(p.grad).all() for p in model.parameters())))
        scale = scaler.scale
        if scaler.settle(bad):
            for p in model.parameters():
                p.grad.div_(scale)
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
