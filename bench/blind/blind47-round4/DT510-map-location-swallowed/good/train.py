import os
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from store import Store


def main():
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    store = Store(Path("ckpt"))
    net = nn.Linear(64, 64).cuda()
    optimizer = torch.optim.AdamW(net.parameters())
    start, path = 0, store.latest()
    if path is not None:
        state = store.load(path, map_location=f"cuda:{local}")
        net.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        start = state["step"]
    model = DistributedDataParallel(net, device_ids=[local])
    noise = torch.Generator(device="cuda").manual_seed(dist.get_rank())
    for step in range(start, 1000):
        optimizer.zero_grad()
        model(torch.randn(8, 64, generator=noise, device="cuda")).square().mean().backward()
        optimizer.step()
        if step % 100 == 99 and dist.get_rank() == 0:
            store.root.mkdir(exist_ok=True)
            torch.save({"model": net.state_dict(), "optimizer": optimizer.state_dict(), "step": step + 1}, store.path(step))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
