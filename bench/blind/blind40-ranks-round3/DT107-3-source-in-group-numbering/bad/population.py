import os

import torch
import torch.distributed as dist
import torch.nn as nn

from teams import Team

RATES = (1e-2, 3e-3, 1e-3, 3e-4)


def main(steps=120, size=2):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    rank = dist.get_rank()
    team = Team.of(size)
    torch.manual_seed(rank)
    net = nn.Sequential(nn.Linear(5, 20), nn.Tanh(), nn.Linear(20, 1)).to(device)
    team.share(net)
    opt = torch.optim.Adam(net.parameters(), lr=RATES[team.index % len(RATES)])
    g = torch.Generator().manual_seed(40 + rank)
    for _ in range(steps):
        x = torch.randn(32, 5, generator=g).to(device)
        loss = nn.functional.mse_loss(net(x), x.prod(1, keepdim=True))
        opt.zero_grad()
        loss.backward()
        team.average(net)
        opt.step()
    if rank == team.members[0]:
        torch.save(net.state_dict(), f"team{team.index}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
