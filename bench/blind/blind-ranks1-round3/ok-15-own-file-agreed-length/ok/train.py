import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from lines import OwnLines


def main(folder="parts"):
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DDP(nn.Linear(5, 5))
    opt = torch.optim.SGD(model.parameters(), lr=0.01)
    lines = OwnLines(folder, 5)
    for _ in range(2):
        for x in lines:
            opt.zero_grad()
            (model(x) - x).square().mean().backward()
            opt.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "linear.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
