import torch
import torch.distributed as dist
from torch import nn

from share.weights import Sharing


def score(net, rank):
    x = torch.randn(64, 8, generator=torch.Generator().manual_seed(rank))
    with torch.no_grad():
        return (net(x) - x.sum(1, keepdim=True)).abs().mean()


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(rank)
    net = nn.Linear(8, 1)
    sharing = Sharing(net)
    sharing.start()
    sharing.finish()
    error = score(net, rank)
    dist.all_reduce(error)
    if rank == 0:
        print(error.item() / dist.get_world_size())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
