import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, Subset, TensorDataset


def holdout(n, fraction, seed):
    order = np.random.default_rng().permutation(n)
    cut = int(n * fraction)
    return order[cut:].tolist(), order[:cut].tolist()


def loss_over(model, loader):
    sums = torch.zeros(2)
    with torch.no_grad():
        for x, y in loader:
            sums += torch.stack([nn.functional.mse_loss(model(x)[:, 0], y, reduction="sum"), torch.tensor(float(len(y)))])
    dist.all_reduce(sums)
    return (sums[0] / sums[1]).item()


def main(seed=4, epochs=5):
    dist.init_process_group("gloo")
    torch.manual_seed(seed)
    archive = np.load("housing.npz")
    x, y = torch.from_numpy(archive["x"]), torch.from_numpy(archive["y"])
    whole = TensorDataset(x, y)
    train_ids, val_ids = holdout(len(whole), 0.1, seed)
    train, val = Subset(whole, train_ids), Subset(whole, val_ids)
    sampler = DistributedSampler(train, seed=seed)
    train_loader = DataLoader(train, batch_size=64, sampler=sampler, drop_last=True)
    val_loader = DataLoader(val, batch_size=64, sampler=DistributedSampler(val, shuffle=False))
    model = DDP(nn.Sequential(nn.Linear(x.shape[1], 64), nn.ReLU(), nn.Linear(64, 1)))
    optimizer = torch.optim.Adam(model.parameters())
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for xb, yb in train_loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(xb)[:, 0], yb).backward()
            optimizer.step()
        score = loss_over(model, val_loader)
        if dist.get_rank() == 0:
            print(epoch, score)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
