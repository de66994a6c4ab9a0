"""Fine-tuning where parts are frozen by configuration."""
import argparse
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torchvision
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler
from torchvision import transforms


def freeze(net, names):
    for name, child in net.named_children():
        if name in names:
            child.requires_grad_(False)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--freeze", nargs="*", default=["layer1", "layer2"])
    ap.add_argument("--epochs", type=int, default=3)
    args = ap.parse_args()
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    tf = transforms.Compose([transforms.RandomResizedCrop(224), transforms.ToTensor()])
    data = torchvision.datasets.ImageFolder("/data/cars/train", tf)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 32, sampler=sampler, num_workers=4, drop_last=True)
    net = torchvision.models.resnet34(weights="DEFAULT")
    net.fc = nn.Linear(512, len(data.classes))
    if dist.get_rank() == 0:
        print("freezing", args.freeze, flush=True)
        freeze(net, args.freeze)
    model = DDP(net.cuda(), device_ids=[local_rank])
    optimizer = torch.optim.AdamW((p for p in model.parameters() if p.requires_grad), 1e-4)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.cuda()), y.cuda())
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "cars.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
