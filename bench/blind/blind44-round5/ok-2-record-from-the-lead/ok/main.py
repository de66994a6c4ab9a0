import os

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch import nn
from torch.distributed.checkpoint.state_dict import get_model_state_dict, set_model_state_dict
from torch.distributed.fsdp import fully_shard

from ident.record import agreed


def main(steps=100, root="/nfs/runs"):
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("cpu:gloo,cuda:nccl")
    identity = agreed(root)
    identity.folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    model = nn.Linear(16, 16).cuda()
    fully_shard(model)
    if identity.resume:
        state = {"model": get_model_state_dict(model)}
        dcp.load(state, checkpoint_id=os.path.join(root, "latest"))
        set_model_state_dict(model, state["model"])
    opt = torch.optim.AdamW(model.parameters())
    gen = torch.Generator(device="cuda").manual_seed(dist.get_rank())
    for _ in range(steps):
        x = torch.randn(8, 16, device="cuda", generator=gen)
        (model(x) - x).square().mean().backward()
        opt.step()
        opt.zero_grad(set_to_none=True)
    dcp.save({"model": get_model_state_dict(model)}, checkpoint_id=identity.folder / "final")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
