"""Several nodes; the batch on the command line is that of all GPUs together."""
import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler
from torchvision import datasets, transforms
from torchvision.models import efficientnet_b0


def arguments():
    cli = argparse.ArgumentParser()
    cli.add_argument("root")
    cli.add_argument("--batch-size", type=int, default=2048, help="over all nodes")
    cli.add_argument("--workers", type=int, default=8)
    cli.add_argument("--epochs", type=int, default=100)
    cli.add_argument("--lr", type=float, default=0.8)
    return cli.parse_args()


def join():
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl", device_id=torch.device("cuda", local))
    return dist.get_rank(), dist.get_world_size(), local


def main():
    args = arguments()
    rank, world, local = join()
    gpus = torch.cuda.device_count()
    if rank == 0:
        print(f"{world} ranks, {gpus} on each of {world // gpus} nodes")
    args.batch_size = args.batch_size // world
    torch.manual_seed(0)
    look = transforms.Compose([transforms.RandomResizedCrop(224), transforms.RandomHorizontalFlip(), transforms.ToTensor()])
    rows = datasets.ImageFolder(os.path.join(args.root, "train"), look)
    sampler = DistributedSampler(rows, shuffle=True, drop_last=True)
    loader = DataLoader(rows, args.batch_size, sampler=sampler, num_workers=args.workers, pin_memory=True, drop_last=True)
    net = nn.SyncBatchNorm.convert_sync_batchnorm(efficientnet_b0(num_classes=len(rows.classes)))
    model = DDP(net.cuda(), device_ids=[local])
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9, weight_decay=2e-5)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for images, labels in loader:
            loss = nn.functional.cross_entropy(model(images.cuda(non_blocking=True)), labels.cuda(non_blocking=True))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        schedule.step()
        if rank == 0:
            torch.save(net.state_dict(), "efficientnet.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
