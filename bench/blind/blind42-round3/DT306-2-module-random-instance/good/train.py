import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torchvision
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler

from augment import jitter


class Jittered(Dataset):
    def __init__(self, path):
        self.images, self.labels = torch.load(path, map_location="cpu", mmap=True)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return jitter(self.images[i].float() / 255), int(self.labels[i])


def main(epochs=20):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    data = Jittered("svhn.pt")
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 128, sampler=sampler, num_workers=6, pin_memory=True, drop_last=True)
    model = DDP(torchvision.models.resnet18(num_classes=10).cuda(), device_ids=[local_rank])
    optimizer = torch.optim.SGD(model.parameters(), 0.05, momentum=0.9)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "svhn_net.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
