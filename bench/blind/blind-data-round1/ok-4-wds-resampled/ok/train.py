import argparse
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
import webdataset as wds
from torch.nn.parallel import DistributedDataParallel as DDP


def to_pair(sample):
    image = torch.frombuffer(bytearray(sample["bin"]), dtype=torch.uint8).float() / 255
    return image, int(sample["cls"])


def make_loader(args, world):
    per_epoch = args.samples // (args.batch * world)
    dataset = (
        wds.WebDataset(args.shards, resampled=True, shardshuffle=False)
        .shuffle(100)
        .map(to_pair)
        .batched(args.batch, partial=False)
    )
    loader = wds.WebLoader(dataset, batch_size=None, num_workers=args.workers)
    return loader.with_epoch(per_epoch)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--shards", default="shards/train-{000000..000007}.tar")
    parser.add_argument("--samples", type=int, default=64)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=2)
    args = parser.parse_args()
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", torch.cuda.current_device()) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(nn.Linear(48, 4).to(device))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = make_loader(args, dist.get_world_size())
    for epoch in range(args.epochs):
        for images, labels in loader:
            loss = F.cross_entropy(model(images.to(device)), labels.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "linear.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
