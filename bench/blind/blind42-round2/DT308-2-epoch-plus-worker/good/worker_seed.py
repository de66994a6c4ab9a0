"""Random erasing in NumPy inside loader workers, reseeded for each epoch."""
import os

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
import torchvision
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler, get_worker_info


class Erased(Dataset):
    def __init__(self, path):
        self.images, self.labels = torch.load(path, map_location="cpu", mmap=True)
        self.rng = None
        self.seed = 0

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        image = self.images[i].float() / 255
        top, left = self.rng.integers(0, image.shape[-1] // 2, size=2)
        image[:, top : top + 16, left : left + 16] = float(self.rng.random())
        return image, int(self.labels[i])


class SeedWorkers:
    def __init__(self, base):
        self.base, self.epoch = base, 0

    def __call__(self, worker_id):
        data = get_worker_info().dataset
        data.rng = np.random.default_rng([self.base, self.epoch, worker_id])


def main(epochs=60, base=100):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    data = Erased("/data/cifar_train.pt")
    sampler = DistributedSampler(data, drop_last=True)
    seeder = SeedWorkers(base + 10_000 * dist.get_rank())
    loader = DataLoader(data, 128, sampler=sampler, num_workers=4, drop_last=True, worker_init_fn=seeder)
    net = nn.SyncBatchNorm.convert_sync_batchnorm(torchvision.models.resnet18(num_classes=10)).cuda()
    model = DDP(net, device_ids=[local_rank])
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9, nesterov=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        seeder.epoch = epoch
        for images, labels in loader:
            loss = nn.functional.cross_entropy(model(images.cuda()), labels.cuda())
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "erased.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
