from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from resume import STRATEGIES


def main(resume="own"):
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    folder = Path("streams")
    folder.mkdir(exist_ok=True)
    noise = torch.Generator().manual_seed(dist.get_rank())
    report = STRATEGIES[resume]().apply(folder, noise)
    model = DistributedDataParallel(nn.Linear(4, 4))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for step in range(20):
        optimizer.zero_grad()
        model(torch.randn(8, 4, generator=noise)).square().mean().backward()
        optimizer.step()
    torch.save({"rng": noise.get_state(), "step": step}, folder / f"stream{dist.get_rank()}.pt")
    if dist.get_rank() == 0:
        print(report)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
