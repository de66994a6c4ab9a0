import argparse
import os
from contextlib import nullcontext

import numpy as np
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler

from transformers import GPT2Config, GPT2LMHeadModel


class Blocks(Dataset):
    def __init__(self, path, block=1024):
        self.tokens = np.memmap(path, dtype=np.uint16, mode="r")
        self.block = block

    def __len__(self):
        return (len(self.tokens) - 1) // self.block

    def __getitem__(self, i):
        return torch.from_numpy(self.tokens[i * self.block : (i + 1) * self.block].astype(np.int64))


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--global-batch-size", type=int, default=512)
    p.add_argument("--micro-batch-size", type=int, default=8)
    p.add_argument("--epochs", type=int, default=2)
    p.add_argument("--tokens", default="/data/owt/train.bin")
    return p.parse_args()


def main():
    args = parse_args()
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    rank = dist.get_rank()
    torch.manual_seed(1)

    replicas = torch.cuda.device_count()
    accumulate, rest = divmod(args.global_batch_size, args.micro_batch_size * replicas)
    if rest:
        raise SystemExit("the global batch does not divide evenly")

    data = Blocks(args.tokens)
    sampler = DistributedSampler(data, shuffle=True, seed=1, drop_last=True)
    loader = DataLoader(data, batch_size=args.micro_batch_size, sampler=sampler, num_workers=2, drop_last=True)
    model = DDP(GPT2LMHeadModel(GPT2Config()).cuda(), device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), lr=6e-4, betas=(0.9, 0.95))
    windows = len(loader) // accumulate

    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for i, ids in enumerate(loader):
            if i == windows * accumulate:
                break
            ids = ids.cuda(non_blocking=True)
            boundary = (i + 1) % accumulate == 0
            with nullcontext() if boundary else model.no_sync():
                loss = model(ids, labels=ids).loss / accumulate
                loss.backward()
            if boundary:
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)
        if rank == 0:
            torch.save(model.module.state_dict(), f"gpt-{epoch}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
