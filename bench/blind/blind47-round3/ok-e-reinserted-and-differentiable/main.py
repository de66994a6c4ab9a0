import torch
import torch.distributed as dist
import torch.distributed.nn.functional as dist_fn
from torch import nn
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel


class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 8), nn.Linear(5, 8)

    def forward(self, x, y):
        return F.normalize(self.a(x), dim=1), F.normalize(self.b(y), dim=1)


def loss(u, v):
    u, v = (torch.cat(dist_fn.all_gather(one)) for one in (u, v))
    return F.cross_entropy(5.0 * u @ v.T, torch.arange(len(u)))


if __name__ == "__main__":
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(Two())
    optimizer = torch.optim.Adam(model.parameters())
    g = torch.Generator().manual_seed(dist.get_rank())
    for _ in range(5):
        optimizer.zero_grad()
        loss(*model(torch.randn(8, 4, generator=g), torch.randn(8, 5, generator=g))).backward()
        optimizer.step()
    dist.destroy_process_group()
