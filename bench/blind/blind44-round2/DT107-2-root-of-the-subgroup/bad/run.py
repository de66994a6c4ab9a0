import torch
import torch.distributed as dist
from torch import nn

from tp.feed import SharedFeed
from tp.layout import Layout


def main(steps=20):
    dist.init_process_group("gloo")
    layout = Layout.build(tp_size=2)
    feed = SharedFeed(layout, batch=4, width=8)
    torch.manual_seed(layout.tp_rank)
    part = nn.Embedding(100, 16)
    opt = torch.optim.SGD(part.parameters(), lr=0.1)
    for _ in range(steps):
        out = part(feed.next())
        loss = out.square().mean()
        opt.zero_grad()
        loss.backward()
        for p in part.parameters():
            dist.all_reduce(p.grad, group=layout.dp_group)
            p.grad /= dist.get_world_size(layout.dp_group)
        opt.step()
    torch.save(part.state_dict(), f"part{layout.tp_rank}_{layout.rank}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
