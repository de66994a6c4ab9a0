import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from seq.guarding import BadSample, lenient
from seq.step import Step


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--lenient", action="store_true")
    ap.add_argument("--epochs", type=int, default=2)
    args = ap.parse_args()
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Embedding(30, 16), nn.Linear(16, 30)).to(device)
    model = DDP(net, device_ids=[device.index] if cuda else None)
    step = Step(model, torch.optim.AdamW(net.parameters()), length=12)
    rows = torch.randint(0, 30, (800, 20), generator=torch.Generator().manual_seed(0))
    data = TensorDataset(rows)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 4, sampler=sampler, drop_last=True)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            with lenient(args.lenient, BadSample):
                step(x.to(device))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
