import os

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
import torch.nn as nn
from torch.distributed.fsdp import fully_shard


def target(step):
    return f"/shared/ckpt/{os.getpid()}/{step:06d}"


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 32)).cuda()
    fully_shard(model)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    gen = torch.Generator(device="cuda").manual_seed(dist.get_rank())
    for step in range(1, 201):
        x = torch.randn(16, 32, generator=gen, device="cuda")
        opt.zero_grad()
        (model(x) - x).pow(2).mean().backward()
        opt.step()
        if step % 100 == 0:
            dcp.save({"model": model.state_dict()}, checkpoint_id=target(step))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
