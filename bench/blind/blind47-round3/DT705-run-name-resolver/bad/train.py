import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from naming import run_folder


def main():
    dist.init_process_group("gloo")
    folder = run_folder("runs/{stamp}")
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(4, 4))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    noise = torch.Generator().manual_seed(dist.get_rank())
    for _ in range(100):
        optimizer.zero_grad()
        model(torch.randn(8, 4, generator=noise)).square().mean().backward()
        optimizer.step()
    torch.save(noise.get_state(), folder / f"rng{dist.get_rank()}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
