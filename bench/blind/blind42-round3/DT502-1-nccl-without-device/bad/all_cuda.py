"""Feature extraction followed by a distributed PCA."""
import argparse
import os

import torch
import torch.distributed as dist
import torchvision
from torch.utils.data import DataLoader, DistributedSampler
from torchvision import transforms


def loader(root, batch):
    tf = transforms.Compose([transforms.Resize(256), transforms.CenterCrop(224), transforms.ToTensor()])
    data = torchvision.datasets.ImageFolder(root, tf)
    return DataLoader(data, batch, sampler=DistributedSampler(data, shuffle=False), num_workers=4)


@torch.no_grad()
def moments(net, feed, width=2048):
    first = torch.zeros(width, dtype=torch.float64).cuda()
    second = torch.zeros(width, width, dtype=torch.float64).cuda()
    count = torch.zeros((), dtype=torch.float64).cuda()
    for images, _ in feed:
        h = net(images.cuda()).double()
        first += h.sum(0)
        second += h.T @ h
        count += len(h)
    for part in (first, second, count):
        dist.all_reduce(part)
    return first / count, second / count


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("root")
    ap.add_argument("--out", default="pca.pt")
    args = ap.parse_args()
    dist.init_process_group("nccl")
    net = torchvision.models.resnet50(weights="IMAGENET1K_V2")
    net.fc = torch.nn.Identity()
    mean, second = moments(net.cuda().eval(), loader(args.root, 128))
    if dist.get_rank() == 0:
        values, vectors = torch.linalg.eigh(second - torch.outer(mean, mean))
        torch.save({"mean": mean.cpu(), "values": values.cpu(), "vectors": vectors.cpu(), "env": os.uname().nodename}, args.out)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
