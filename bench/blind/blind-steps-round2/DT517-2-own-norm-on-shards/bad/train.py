import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard

from clipping import clip_sharded


def main(steps=20):
    kind = "cuda" if torch.cuda.is_available() else "cpu"
    if kind == "cuda":
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if kind == "cuda" else "gloo")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(40, 80), nn.ReLU(), nn.Linear(80, 1)).to(kind)
    for layer in net:
        if isinstance(layer, nn.Linear):
            fully_shard(layer)
    fully_shard(net)
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    draw = torch.Generator().manual_seed(3 + dist.get_rank())
    for step in range(steps):
        x = torch.randn(16, 40, generator=draw).to(kind)
        nn.functional.mse_loss(net(x), x.sum(1, keepdim=True)).backward()
        norm = clip_sharded(net.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        if dist.get_rank() == 0 and step % 10 == 0:
            print(step, f"grad norm {norm.item():.3f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
