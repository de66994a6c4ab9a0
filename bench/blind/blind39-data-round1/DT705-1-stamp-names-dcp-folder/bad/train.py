import os
import time
from pathlib import Path

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.checkpoint.state_dict import get_state_dict
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def run_folder(base, name):
    stamp = time.strftime("%Y%m%d-%H%M%S")
    return Path(base) / f"{name}-{stamp}"


def corpus(n=2048):
    gen = torch.Generator().manual_seed(27)
    x = torch.randn(n, 128, generator=gen)
    return TensorDataset(x, x.flip(1))


def main(epochs=3):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("cpu:gloo,cuda:nccl")
    mesh = init_device_mesh("cuda", (dist.get_world_size(),))
    folder = run_folder("/shared/checkpoints", "flip")
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(128, 512), nn.GELU(), nn.Linear(512, 128)).cuda()
    for layer in (model[0], model[2]):
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    data = corpus()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True, pin_memory=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad(set_to_none=True)
            F.mse_loss(model(x.cuda()), y.cuda()).backward()
            optimizer.step()
        weights, optim_state = get_state_dict(model, optimizer)
        dcp.save({"model": weights, "optim": optim_state}, checkpoint_id=str(folder / f"epoch_{epoch}"))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
