"""Copies the packed dataset to the node's NVMe scratch, then trains from there."""
import os
import tarfile
from pathlib import Path

import torch
import torch.distributed as dist
import torchvision
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler
from torchvision import transforms

SCRATCH = Path("/tmp/flowers")


def stage(archive):
    if int(os.environ["LOCAL_RANK"]) == 0 and not (SCRATCH / ".ready").exists():
        SCRATCH.mkdir(parents=True, exist_ok=True)
        with tarfile.open(archive) as tar:
            tar.extractall(SCRATCH, filter="data")
        (SCRATCH / ".ready").touch()
    dist.barrier()
    return SCRATCH


def main(epochs=20):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    tf = transforms.Compose([transforms.RandomResizedCrop(224), transforms.RandomHorizontalFlip(), transforms.ToTensor()])
    data = torchvision.datasets.ImageFolder(stage(os.environ["ARCHIVE"]) / "train", tf)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 64, sampler=sampler, num_workers=4, pin_memory=True, drop_last=True)
    net = torchvision.models.efficientnet_b0(num_classes=102).cuda()
    model = DDP(net, device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), 3e-4)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        running = torch.zeros(2, device="cuda")
        for images, labels in loader:
            loss = torch.nn.functional.cross_entropy(model(images.cuda()), labels.cuda())
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            running += torch.stack([loss.detach(), torch.ones_like(loss)])
        dist.all_reduce(running)
        if dist.get_rank() == 0:
            print(f"epoch {epoch} loss {(running[0] / running[1]).item():.3f}", flush=True)
            torch.save(net.state_dict(), "flowers.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
