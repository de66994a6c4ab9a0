import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F


class GradientReducer:
    def __init__(self, module):
        self.params = [p for p in module.parameters() if p.requires_grad]
        self.world = dist.get_world_size()

    def launch(self):
        works = []
        for p in self.params:
            p.grad.div_(self.world)
            works.append(dist.all_reduce(p.grad, async_op=True))
        return works


def setup():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    return torch.device("cuda", local_rank) if cuda else torch.device("cpu")


def batches(rank, n, device):
    g = torch.Generator().manual_seed(900 + rank)
    for _ in range(n):
        x = torch.randn(48, 10, generator=g)
        yield x.to(device), x.abs().sum(1, keepdim=True).to(device)


def main(steps=20):
    device = setup()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(10, 40), nn.ReLU(), nn.Linear(40, 1)).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    reducer = GradientReducer(net)
    for x, y in batches(dist.get_rank(), steps, device):
        optimizer.zero_grad()
        F.mse_loss(net(x), y).backward()
        for work in reducer.launch():
            work.wait()
        optimizer.step()
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "net.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
