import os

import torch
import torch.distributed as dist
import torch.nn as nn

from layout import Layout


class Dense(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(x)))


def average(module, world):
    for p in module.parameters():
        dist.all_reduce(p.grad)
        p.grad /= world


def balance(layout, load):
    """Share of the tokens that went to every expert."""
    if not layout.holds_expert:
        return None
    group = layout.mesh.get_group("expert")
    shares = [torch.empty_like(load) for _ in range(layout.experts)]
    dist.all_gather(shares, load, group=group)
    return torch.stack(shares)


def main(steps=50, experts=2):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    layout = Layout.create(experts, device.type)
    torch.manual_seed(0)
    net = Dense().to(device)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    stream = torch.Generator().manual_seed(800 + layout.rank)
    for step in range(steps):
        x = torch.randn(64, 32, generator=stream).to(device)
        loss = (net(x) - x.sort(dim=1).values).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        average(net, layout.world)
        opt.step()
        shares = balance(layout, x.abs().mean(1).sum())
        if shares is not None and layout.rank == 0 and step % 10 == 0:
            print(step, [round(v, 2) for v in shares.tolist()])
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
