import os
import sys

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

from vocab import shared_vocab


def encode(path, vocab, length=16):
    rows = []
    with open(path, encoding="utf-8") as handle:
        for line in handle:
            ids = [vocab.get(w, 0) for w in line.split()][:length]
            rows.append(ids + [0] * (length - len(ids)))
    return torch.tensor(rows)


def main(path):
    local_rank = int(os.environ.get("LOCAL_RANK", 0))
    if torch.cuda.is_available():
        torch.cuda.set_device(local_rank)
        dist.init_process_group("nccl")
        device = torch.device("cuda", local_rank)
    else:
        dist.init_process_group("gloo")
        device = torch.device("cpu")
    vocab = shared_vocab(path)
    ids = encode(path, vocab)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Embedding(len(vocab) + 1, 32), nn.Linear(32, len(vocab) + 1)).to(device)
    model = DistributedDataParallel(model, device_ids=[local_rank] if device.type == "cuda" else None)
    opt = torch.optim.Adam(model.parameters())
    sampler = DistributedSampler(TensorDataset(ids), drop_last=True)
    loader = DataLoader(TensorDataset(ids), batch_size=8, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for (batch,) in loader:
            batch = batch.to(device)
            logits = model(batch[:, :-1])
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
            opt.zero_grad()
            loss.backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1])
