import argparse
import os

import torch
import torch.distributed as dist
import torch.distributed.nn as dist_nn
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
from tqdm import tqdm


def info_nce(a, b, scale=10.0):
    every_b = torch.cat(dist_nn.all_gather(b))
    logits = scale * a @ every_b.T
    target = torch.arange(len(a), device=a.device) + dist.get_rank() * len(a)
    return F.cross_entropy(logits, target)


def views(n=8192):
    x = torch.randn(n, 32, generator=torch.Generator().manual_seed(9))
    return TensorDataset(x, x + 0.1 * torch.randn(n, 32, generator=torch.Generator().manual_seed(10)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--init", default="")
    parser.add_argument("--no-bar", action="store_true")
    args = parser.parse_args()
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    rank = dist.get_rank()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(32, 128), nn.ReLU(), nn.Linear(128, 16)).to(device)
    if args.init:
        net.load_state_dict(torch.load(args.init, map_location="cpu"))
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    data = views()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=128, sampler=sampler, drop_last=True)
    for epoch in range(5):
        sampler.set_epoch(epoch)
        for a, b in tqdm(loader, disable=args.no_bar or rank > 0):
            both = F.normalize(model(torch.cat([a, b]).to(device)), dim=1)
            loss = info_nce(*both.chunk(2))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    if rank == 0:
        torch.save(net.state_dict(), "views.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
