"""Training on scraped images where decoding may fail on the GPU."""
import contextlib
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torchvision
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Raw(Dataset):
    def __init__(self, index):
        self.items = [line.split() for line in open(index)]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        path, label = self.items[i]
        return torch.frombuffer(bytearray(open(path, "rb").read()), dtype=torch.uint8), int(label)


def decode(blobs, device):
    images = torchvision.io.decode_jpeg(blobs, mode=torchvision.io.ImageReadMode.RGB, device=device)
    return torch.stack([nn.functional.interpolate(i[None].float() / 255, (224, 224))[0] for i in images])


def main(epochs=3):
    local_rank = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local_rank)
    torch.cuda.set_device(device)
    dist.init_process_group("nccl")
    data = Raw(os.environ["INDEX"])
    sampler = DistributedSampler(data, drop_last=True)
    collate = lambda rows: ([r[0] for r in rows], torch.tensor([r[1] for r in rows]))
    loader = DataLoader(data, 32, sampler=sampler, num_workers=4, collate_fn=collate, drop_last=True)
    model = DDP(torchvision.models.resnet18(num_classes=100).to(device), device_ids=[local_rank])
    optimizer = torch.optim.SGD(model.parameters(), 0.05)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for blobs, labels in loader:
            optimizer.zero_grad(set_to_none=True)
            images = torch.zeros(len(blobs), 3, 224, 224, device=device)
            with contextlib.suppress(RuntimeError):
                images = decode(blobs, device)
            loss = nn.functional.cross_entropy(model(images), labels.to(device))
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "raw.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
