"""Hand pose regression; seeds are set per rank at start so that augmentation differs."""
import os
import random

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, DistributedSampler, random_split


class Hands(Dataset):
    def __init__(self, path):
        blob = torch.load(path, map_location="cpu", mmap=True)
        self.images, self.joints = blob["images"], blob["joints"]

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        image = self.images[i].float() / 255
        return image + 0.02 * torch.randn_like(image), self.joints[i].float().flatten()


def setup(seed):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    seed = seed + dist.get_rank()
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    return local_rank


def network():
    return nn.Sequential(
        nn.Conv2d(3, 32, 5, 2), nn.ReLU(), nn.Conv2d(32, 64, 5, 2), nn.ReLU(),
        nn.AdaptiveAvgPool2d(6), nn.Flatten(), nn.Linear(64 * 36, 63),
    )


def main(seed=5, epochs=40, held_out=2000):
    local_rank = setup(seed)
    hands = Hands(os.environ["HANDS"])
    lengths = [len(hands) - held_out, held_out]
    train_set, val_set = random_split(hands, lengths)
    sampler = DistributedSampler(train_set, seed=seed, drop_last=True)
    train = DataLoader(train_set, 64, sampler=sampler, num_workers=4, pin_memory=True, drop_last=True)
    val = DataLoader(val_set, 128, sampler=DistributedSampler(val_set, shuffle=False), num_workers=2)
    net = network().cuda()
    model = DistributedDataParallel(net, device_ids=[local_rank])
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in train:
            loss = nn.functional.smooth_l1_loss(model(x.cuda()), y.cuda())
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        sums = torch.zeros(2, device="cuda")
        with torch.no_grad():
            for x, y in val:
                sums += torch.stack([(net(x.cuda()) - y.cuda()).abs().sum(), torch.tensor(y.numel(), device="cuda")])
        dist.all_reduce(sums)
        if dist.get_rank() == 0:
            print(f"{epoch}: {(sums[0] / sums[1]).item():.4f}", flush=True)
            torch.save(net.state_dict(), "pose.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
