import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from mix.choose import Mixture
from mix.tasks import Tasks


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 32)
        self.heads = nn.ModuleDict({"copy": nn.Linear(32, 8), "flip": nn.Linear(32, 8)})

    def forward(self, x, name):
        return self.heads[name](torch.relu(self.body(x)))


def main(steps=200):
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    mixture, tasks = Mixture({"flip": 0.3, "copy": 0.7}, seed=5), Tasks(dist.get_rank(), device)
    torch.manual_seed(0)
    model = DDP(Net().to(device), device_ids=[device.index] if cuda else None, find_unused_parameters=True)
    opt = torch.optim.Adam(model.parameters())
    for _ in range(steps):
        name = mixture.next()
        x, y = tasks.batch(name, 32)
        opt.zero_grad()
        nn.functional.mse_loss(model(x, name), y).backward()
        opt.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "net.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
