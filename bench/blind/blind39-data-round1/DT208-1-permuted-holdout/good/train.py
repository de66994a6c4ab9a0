import os
import random

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler, Subset


def seed_all(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


class Spectra(Dataset):
    def __init__(self, n=3000, bins=64):
        rng = np.random.default_rng(2)
        self.x = rng.normal(size=(n, bins)).astype("float32")
        self.y = self.x[:, :8].sum(axis=1, keepdims=True)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i] + 0.01 * np.random.randn(self.x.shape[1]).astype("float32"), self.y[i]


def hold_out(dataset, fraction, seed):
    order = np.random.default_rng(seed).permutation(len(dataset))
    cut = int(len(order) * fraction)
    return Subset(dataset, order[cut:].tolist()), Subset(dataset, order[:cut].tolist())


def loader_for(subset, train):
    sampler = DistributedSampler(subset, shuffle=train, drop_last=train)
    return DataLoader(subset, batch_size=32, sampler=sampler, drop_last=train, num_workers=2)


def main(seed=17, epochs=4):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    seed_all(seed + dist.get_rank())
    train_set, val_set = hold_out(Spectra(), 0.1, seed)
    train_loader, val_loader = loader_for(train_set, True), loader_for(val_set, False)
    net = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Dropout(0.1), nn.Linear(128, 1)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        train_loader.sampler.set_epoch(epoch)
        model.train()
        for x, y in train_loader:
            opt.zero_grad(set_to_none=True)
            F.mse_loss(model(x.to(device)), y.to(device)).backward()
            opt.step()
        model.eval()
        sums = torch.zeros(2, device=device)
        with torch.no_grad():
            for x, y in val_loader:
                sums[0] += F.mse_loss(model(x.to(device)), y.to(device), reduction="sum")
                sums[1] += len(y)
        dist.all_reduce(sums)
        if dist.get_rank() == 0:
            print(epoch, (sums[0] / sums[1]).item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
