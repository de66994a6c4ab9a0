import os
from pathlib import Path

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
import torch.nn as nn
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Checkpoints:
    def __init__(self, folder):
        self.folder = Path(folder)

    def newest(self):
        steps = sorted(int(p.name) for p in self.folder.glob("[0-9]*")) if self.folder.exists() else []
        box = [steps[-1] if steps else None]
        dist.broadcast_object_list(box, src=0)
        return box[0]

    def save(self, model, opt, step):
        model_state, opt_state = get_state_dict(model, opt)
        dcp.save({"model": model_state, "opt": opt_state}, checkpoint_id=str(self.folder / str(step)))

    def load(self, model, opt, step):
        model_state, opt_state = get_state_dict(model, opt)
        state = {"model": model_state, "opt": opt_state}
        dcp.load(state, checkpoint_id=str(self.folder / str(step)))
        set_state_dict(model, opt, model_state_dict=state["model"], optim_state_dict=state["opt"])


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(32, 128), nn.ReLU(), nn.Linear(128, 32)).cuda()
    fully_shard(model)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    checkpoints = Checkpoints("/local/ckpt")
    step = checkpoints.newest()
    if step is not None:
        checkpoints.load(model, opt, step)
    start = 0 if step is None else step
    gen = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(2048, 32, generator=gen))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    for epoch in range(start, 6):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.cuda()
            opt.zero_grad()
            (model(x) - x).pow(2).mean().backward()
            opt.step()
        checkpoints.save(model, opt, epoch + 1)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
