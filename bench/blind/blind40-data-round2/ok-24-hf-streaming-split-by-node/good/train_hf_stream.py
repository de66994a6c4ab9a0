import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from datasets import load_dataset
from datasets.distributed import split_dataset_by_node
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader

STEPS = 500


def stream(rank, world_size):
    ds = load_dataset("json", data_files="data/*.jsonl", split="train", streaming=True)
    ds = split_dataset_by_node(ds, rank=rank, world_size=world_size)
    return ds.shuffle(seed=11, buffer_size=2000).with_format("torch")


def forever(ds, batch_size):
    epoch = 0
    while True:
        ds.set_epoch(epoch)
        yield from DataLoader(ds, batch_size=batch_size, drop_last=True, num_workers=2)
        epoch += 1


def main():
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    model = DDP(nn.Linear(16, 2).cuda(), device_ids=[local])
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    source = forever(stream(rank, world), 32)
    for step in range(STEPS):
        batch = next(source)
        loss = F.cross_entropy(model(batch["x"].float().cuda()), batch["y"].cuda())
        opt.zero_grad()
        loss.backward()
        opt.step()
    if rank == 0:
        torch.save(model.module.state_dict(), "linear.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
