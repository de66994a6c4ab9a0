import contextlib
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F


@contextlib.contextmanager
def reduced(params):
    world = dist.get_world_size()
    with contextlib.ExitStack() as stack:
        for p in params:
            p.grad.div_(world)
            work = dist.all_reduce(p.grad, async_op=True)
            stack.callback(work.wait)
    yield


def main(steps=10):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Linear(10, 1).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    g = torch.Generator().manual_seed(40 + dist.get_rank())
    for _ in range(steps):
        x = torch.randn(32, 10, generator=g).to(device)
        optimizer.zero_grad()
        F.mse_loss(net(x), x.mean(1, keepdim=True)).backward()
        with reduced(list(net.parameters())):
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
