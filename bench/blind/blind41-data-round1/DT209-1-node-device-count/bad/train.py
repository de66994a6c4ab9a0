import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from config import TrainConfig


def setup():
    dist.init_process_group("nccl")
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    return local


def main():
    cfg = TrainConfig()
    local = setup()
    torch.manual_seed(cfg.seed)
    tokens = torch.load(cfg.data, map_location="cpu")
    data = TensorDataset(tokens[:, :-1], tokens[:, 1:])
    per_gpu = cfg.global_batch_size // torch.cuda.device_count()
    sampler = DistributedSampler(data, shuffle=True, seed=cfg.seed, drop_last=True)
    loader = DataLoader(data, batch_size=per_gpu, sampler=sampler, drop_last=True, num_workers=4)
    model = nn.Sequential(nn.Embedding(1000, 128), nn.Linear(128, 1000)).cuda()
    model = DDP(model, device_ids=[local])
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
    for epoch in range(cfg.epochs):
        sampler.set_epoch(epoch)
        for src, dst in loader:
            logits = model(src.cuda(non_blocking=True))
            loss = F.cross_entropy(logits.flatten(0, 1), dst.cuda(non_blocking=True).flatten())
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
