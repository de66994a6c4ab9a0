import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.utils import vector_to_parameters

from pair import ActorCritic


def main(rounds=40):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(6, 24), nn.Tanh(), nn.Linear(24, 1)).to(device)
    opt = torch.optim.SGD(net.parameters(), lr=0.05)
    party = ActorCritic(net, device)
    gen = torch.Generator().manual_seed(5 + dist.get_rank())
    for number in range(rounds):
        for _ in range(5):
            x = torch.randn(16, 6, generator=gen).to(device)
            loss = (net(x) - x.amax(1, keepdim=True)).pow(2).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
        weights, best = party.round(-loss.detach().reshape(1))
        vector_to_parameters(weights, net.parameters())
        if number % 10 == 0 and dist.get_rank() == 0:
            print(number, best.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
