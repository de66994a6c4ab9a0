import os

import torch
import torch.distributed as dist
import torch.nn as nn
from datasets import load_dataset, load_from_disk
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler

CACHE = "/shared/cache/bytes"


def encode(row):
    ids = list(row["text"].encode()[:128])
    return {"ids": ids + [0] * (128 - len(ids))}


def prepared():
    dist.barrier()
    if dist.get_rank() == 0 and not os.path.isdir(CACHE):
        load_dataset("text", data_files="/shared/raw.txt", split="train").map(encode).save_to_disk(CACHE)
    return load_from_disk(CACHE).with_format("torch", columns=["ids"])


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    rows = prepared()
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Embedding(256, 64), nn.Linear(64, 256)).cuda(), device_ids=[local_rank])
    opt = torch.optim.AdamW(model.parameters())
    sampler = DistributedSampler(rows, drop_last=True)
    loader = DataLoader(rows, batch_size=16, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for batch in loader:
            ids = batch["ids"].cuda()
            logits = model(ids[:, :-1])
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
            opt.zero_grad()
            loss.backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
