import os

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch import nn
from torch.distributed.checkpoint.state_dict import get_model_state_dict
from torch.distributed.fsdp import fully_shard

from exp.context import Experiment


def main(steps=100):
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("cpu:gloo,cuda:nccl")
    exp = Experiment("/nfs/runs", "toy")
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 32)).cuda()
    fully_shard(model)
    opt = torch.optim.AdamW(model.parameters())
    gen = torch.Generator(device="cuda").manual_seed(dist.get_rank())
    for step in range(1, steps + 1):
        x = torch.randn(16, 32, device="cuda", generator=gen)
        (model(x) - x).square().mean().backward()
        opt.step()
        opt.zero_grad(set_to_none=True)
        if step % 50 == 0:
            dcp.save({"model": get_model_state_dict(model)}, checkpoint_id=exp.checkpoint(step))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
