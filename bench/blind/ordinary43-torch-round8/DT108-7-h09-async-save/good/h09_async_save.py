import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def toy(n=3200):
    g = torch.Generator().manual_seed(0)
    x = torch.randn(n, 8, generator=g)
    return TensorDataset(x, x.sum(1, keepdim=True))


def start():
    dist.init_process_group("nccl")
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    return dist.get_rank(), dist.get_world_size(), local


import torch.distributed.checkpoint as dcp
from torch.distributed.checkpoint.state_dict import get_model_state_dict, get_optimizer_state_dict
from torch.distributed.fsdp import fully_shard


class Checkpointer:
    def __init__(self, folder, group):
        self.folder, self.group, self.future = folder, group, None

    def save(self, step, model, optimizer):
        self.wait()
        state = {"model": get_model_state_dict(model), "optim": get_optimizer_state_dict(model, optimizer)}
        self.future = dcp.async_save(state, checkpoint_id=f"{self.folder}/{step}", process_group=self.group)

    def wait(self):
        if self.future is not None:
            self.future.result()
            self.future = None


def main():
    rank, world, local = start()
    group = dist.new_group(backend="gloo")
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 1)).cuda()
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters())
    data = toy()
    sampler = DistributedSampler(data, drop_last=True)
    checkpointer = Checkpointer("async_ckpt", group)
    step = 0
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for x, y in DataLoader(data, 16, sampler=sampler, drop_last=True):
            loss = nn.functional.mse_loss(model(x.cuda()), y.cuda())
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            step += 1
            if step % 50 == 0:
                checkpointer.save(step, model, optimizer)
    checkpointer.wait()
    dist.barrier()
    if rank == 0:
        with open("async_ckpt/latest", "w") as f:
            f.write(str(step))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
