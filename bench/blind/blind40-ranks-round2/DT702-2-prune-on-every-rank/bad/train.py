import argparse
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from rotate import Rotation


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--save-every", type=int, default=10)
    ap.add_argument("--keep", type=int, default=2)
    ap.add_argument("--out", default="ckpts")
    args = ap.parse_args()
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(nn.GRUCell(8, 16).to(device), device_ids=[local_rank] if cuda else None)
    opt = torch.optim.Adam(model.parameters())
    x = torch.randn(640, 8, generator=torch.Generator().manual_seed(1))
    data = TensorDataset(x, torch.tanh(x.repeat(1, 2)))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    rotation = Rotation(args.out, args.keep, dist.get_rank())
    step = 0
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for xb, yb in loader:
            opt.zero_grad()
            nn.functional.mse_loss(model(xb.to(device)), yb.to(device)).backward()
            opt.step()
            step += 1
            if step % args.save_every == 0:
                rotation.push(step, {"model": model.module.state_dict(), "opt": opt.state_dict(), "step": step})
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
