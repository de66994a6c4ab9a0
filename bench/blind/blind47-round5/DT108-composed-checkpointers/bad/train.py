import os
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard

from checkpointers import build


def main():
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = fully_shard(nn.Linear(64, 64).cuda())
    optimizer = torch.optim.AdamW(model.parameters())
    checkpointer = build(Path("/mnt/ckpt"))
    noise = torch.Generator(device="cuda").manual_seed(dist.get_rank())
    for step in range(1000):
        optimizer.zero_grad()
        model(torch.randn(8, 64, generator=noise, device="cuda")).square().mean().backward()
        optimizer.step()
        if step % 100 == 99:
            checkpointer.save(step, {"model": model.state_dict()})
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
