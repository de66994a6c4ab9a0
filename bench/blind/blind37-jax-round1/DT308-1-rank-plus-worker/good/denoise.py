import os
from argparse import ArgumentParser

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler

from noise_loader import NoisySpeech, WorkerSeeds


def arguments():
    parser = ArgumentParser()
    parser.add_argument("--clips", default="clips.pt")
    parser.add_argument("--noise", default="noise.pt")
    parser.add_argument("--seed", type=int, default=100)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--epochs", type=int, default=10)
    return parser.parse_args()


def main():
    args = arguments()
    gpu = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(gpu)
    dist.init_process_group(backend="nccl")
    rank = dist.get_rank()
    torch.manual_seed(args.seed)
    data = NoisySpeech(torch.load(args.clips, map_location="cpu"), torch.load(args.noise, map_location="cpu"))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(
        data,
        batch_size=16,
        sampler=sampler,
        num_workers=args.workers,
        worker_init_fn=WorkerSeeds(args.seed, rank, args.workers),
        drop_last=True,
        persistent_workers=True,
    )
    net = nn.Sequential(nn.Linear(16000, 512), nn.ReLU(), nn.Linear(512, 16000)).cuda()
    net = DistributedDataParallel(net, device_ids=[gpu])
    optimizer = torch.optim.Adam(net.parameters())
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for noisy, clean in loader:
            loss = nn.functional.l1_loss(net(noisy.cuda()), clean.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if rank == 0:
            torch.save({"net": net.module.state_dict(), "epoch": epoch}, "denoise.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
