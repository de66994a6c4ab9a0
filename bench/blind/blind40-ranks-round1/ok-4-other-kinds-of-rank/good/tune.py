import argparse
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from adapters import adapt, mean_reciprocal


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--rank", type=int, default=4, help="rank of the adapters")
    ap.add_argument("--first-rank", type=int, default=2)
    args = ap.parse_args()
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(1)
    net = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 9))
    net = adapt(net, [args.first_rank, args.rank]).to(device)
    model = DDP(net, device_ids=[local] if cuda else None)
    opt = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-2)
    g = torch.Generator().manual_seed(3)
    x = torch.randn(576, 12, generator=g)
    data = TensorDataset(x, x[:, :9].argmax(1))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=18, sampler=sampler, drop_last=True)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for xb, yb in loader:
            xb, yb = xb.to(device), yb.to(device)
            scores = model(xb)
            opt.zero_grad()
            nn.functional.cross_entropy(scores, yb).backward()
            opt.step()
        if args.rank > 0:
            mrr = mean_reciprocal(scores.detach(), yb, device)
            if dist.get_rank() == 0:
                print(f"epoch {epoch} last-batch mrr {mrr:.3f}")
    if dist.get_rank() == 0:
        torch.save({k: v for k, v in net.state_dict().items() if "up" in k or "down" in k}, f"adapter_r{args.rank}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
