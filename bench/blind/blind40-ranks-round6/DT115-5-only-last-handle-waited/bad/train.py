import os

import torch
import torch.distributed as dist
import torch.nn as nn


class GradientAverager:
    def __init__(self, net):
        self.net, self.world = net, dist.get_world_size()

    def reduce(self):
        work = None
        for p in self.net.parameters():
            p.grad.div_(self.world)
            work = dist.all_reduce(p.grad, async_op=True)
        work.wait()


def batches(rank, count):
    gen = torch.Generator().manual_seed(70 + rank)
    for _ in range(count):
        x = torch.randn(32, 14, generator=gen)
        yield x, x.relu().sum(1, keepdim=True)


def main(steps=150):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(14, 56), nn.ReLU(), nn.Linear(56, 1)).to(device)
    averager = GradientAverager(net)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for x, y in batches(dist.get_rank(), steps):
        opt.zero_grad(set_to_none=True)
        nn.functional.mse_loss(net(x.to(device)), y.to(device)).backward()
        averager.reduce()
        opt.step()
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "relu.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
