import argparse
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--global-batch", type=int, default=512)
    parser.add_argument("--micro-batch", type=int, default=8)
    parser.add_argument("--nodes", type=int, default=int(os.environ.get("SLURM_NNODES", 1)))
    parser.add_argument("--epochs", type=int, default=2)
    return parser.parse_args()


def accumulation(args):
    replicas = dist.get_world_size()
    steps, rest = divmod(args.global_batch, args.micro_batch * replicas)
    if rest or not steps:
        raise SystemExit("global batch is not a multiple of micro batch x replicas")
    return steps


def main():
    args = arguments()
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    device = torch.device("cuda", local_rank)
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Linear(16, 64), nn.GELU(), nn.Linear(64, 4)).to(device), device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    accum = accumulation(args)
    x = torch.randn(8192, 16, generator=torch.Generator().manual_seed(0))
    dataset = TensorDataset(x, x[:, :4].argmax(1))
    sampler = DistributedSampler(dataset, drop_last=True)
    loader = DataLoader(dataset, args.micro_batch, sampler=sampler, drop_last=True)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        usable = len(loader) - len(loader) % accum
        for index, (features, label) in enumerate(loader):
            if index >= usable:
                break
            boundary = (index + 1) % accum == 0
            model.require_backward_grad_sync = boundary
            loss = F.cross_entropy(model(features.to(device)), label.to(device)) / accum
            loss.backward()
            if boundary:
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "pretrained.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
