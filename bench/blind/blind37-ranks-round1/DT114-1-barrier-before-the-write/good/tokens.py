import os
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler

CACHE = Path(os.environ.get("TOKEN_CACHE", "cache"))
SEQ = 16


def tokenize(text):
    return np.frombuffer(text.encode(), dtype=np.uint8).astype(np.uint16)


def build_cache(path):
    text = "the quick brown fox jumps over the lazy dog. " * 400
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, tokenize(text))


class Windows(Dataset):
    def __init__(self, path):
        self.tokens = np.load(path, mmap_mode="r")

    def __len__(self):
        return (len(self.tokens) - 1) // SEQ

    def __getitem__(self, i):
        piece = torch.from_numpy(self.tokens[i * SEQ : i * SEQ + SEQ + 1].astype(np.int64))
        return piece[:-1], piece[1:]


def open_dataset(rank):
    path = CACHE / "tokens.npy"
    if rank == 0 and not path.exists():
        build_cache(path)
    dist.barrier()
    return Windows(path)


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    dataset = open_dataset(rank)
    sampler = DistributedSampler(dataset, drop_last=True)
    loader = DataLoader(dataset, batch_size=32, sampler=sampler, drop_last=True)
    torch.manual_seed(0)
    net = nn.Sequential(nn.Embedding(256, 32), nn.Linear(32, 256)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for x, y in loader:
            logits = model(x.to(device))
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), y.to(device).flatten())
            opt.zero_grad()
            loss.backward()
            opt.step()
    if rank == 0:
        torch.save(net.state_dict(), "bytes.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
