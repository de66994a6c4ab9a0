import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F

from reader import Reader, files_of


def average(net):
    for p in net.parameters():
        dist.all_reduce(p.grad)
        p.grad /= dist.get_world_size()


def main(root="rows"):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Linear(16, 16).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    reader = Reader(files_of(root, dist.get_rank(), dist.get_world_size()))
    for x in reader:
        x = x.to(device)
        optimizer.zero_grad()
        F.mse_loss(net(x), x).backward()
        average(net)
        optimizer.step()
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "net.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
