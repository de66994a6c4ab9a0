import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=1)
    args = parser.parse_args()
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(128, 64).cuda(), device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters())
    pairs = TensorDataset(torch.load("pairs.pt", map_location="cpu"))
    sampler = DistributedSampler(pairs, drop_last=True)
    loader = DataLoader(pairs, 256, sampler=sampler, num_workers=8, drop_last=True)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for (pair,) in loader:
            a, b = model(pair.cuda(non_blocking=True)).unbind(1)
            logits = nn.functional.normalize(a, dim=-1) @ nn.functional.normalize(b, dim=-1).T
            loss = nn.functional.cross_entropy(logits / 0.07, torch.arange(len(a), device="cuda"))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if dist.get_rank() == 0:
            torch.save(model.module.state_dict(), "projector.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
