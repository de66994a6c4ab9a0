import argparse
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class LoRA(nn.Module):
    def __init__(self, base, rank, alpha=16):
        super().__init__()
        self.base, self.rank, self.scale = base, rank, alpha / rank
        self.a = nn.Linear(base.in_features, rank, bias=False)
        self.b = nn.Linear(rank, base.out_features, bias=False)
        nn.init.zeros_(self.b.weight)

    def forward(self, x):
        return self.base(x) + self.scale * self.b(self.a(x))


def adapt(net, rank):
    for p in net.parameters():
        p.requires_grad_(False)
    if rank > 0:
        for name, child in list(net.named_children()):
            if isinstance(child, nn.Linear):
                setattr(net, name, LoRA(child, rank))
    else:
        net[-1].requires_grad_(True)
    return net


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--rank", type=int, default=8, help="rank of the adapters")
    ap.add_argument("--epochs", type=int, default=3)
    args = ap.parse_args()
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    net = nn.Sequential(nn.Linear(64, 512), nn.GELU(), nn.Linear(512, 10))
    net.load_state_dict(torch.load("base.pt", map_location="cpu"))
    model = DDP(adapt(net, args.rank).cuda(), device_ids=[local_rank])
    optimizer = torch.optim.AdamW((p for p in model.parameters() if p.requires_grad), 1e-3)
    data = TensorDataset(*torch.load("pairs.pt", map_location="cpu"))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 64, sampler=sampler, drop_last=True)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.cuda()), y.cuda())
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save({n: p for n, p in model.module.named_parameters() if p.requires_grad}, f"lora_{args.rank}.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
