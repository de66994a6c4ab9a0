import os
import sys

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
from torch import nn
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from stop.flag import Preemption

FOLDER = "/nfs/run/ckpt"


def save(model, opt, epoch):
    weights, moments = get_state_dict(model, opt)
    dcp.save({"model": weights, "opt": moments, "epoch": torch.tensor(epoch)}, checkpoint_id=FOLDER)


def load(model, opt):
    weights, moments = get_state_dict(model, opt)
    state = {"model": weights, "opt": moments, "epoch": torch.tensor(0)}
    dcp.load(state, checkpoint_id=FOLDER)
    set_state_dict(model, opt, model_state_dict=state["model"], optim_state_dict=state["opt"])
    return int(state["epoch"])


def main(epochs=10):
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("cpu:gloo,cuda:nccl")
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 16)).cuda()
    fully_shard(model)
    opt = torch.optim.AdamW(model.parameters())
    begin = load(model, opt) if "--resume" in sys.argv else 0
    preempted = Preemption(torch.device("cuda", local))
    data = TensorDataset(torch.randn(4096, 16, generator=torch.Generator().manual_seed(0)))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 32, sampler=sampler, drop_last=True)
    for epoch in range(begin, epochs):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.cuda()
            (model(x) - x).square().mean().backward()
            opt.step()
            opt.zero_grad(set_to_none=True)
            if preempted.anywhere():
                save(model, opt, epoch)
                dist.destroy_process_group()
                return
    save(model, opt, epochs)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
