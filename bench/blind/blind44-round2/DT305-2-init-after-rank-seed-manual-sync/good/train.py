import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from hand.seeding import seed_all
from hand.sync import GradientSync, share_weights


def main(seed=0, epochs=3):
    dist.init_process_group("gloo")
    seed_all(seed, dist.get_rank())
    model = nn.Sequential(nn.Linear(8, 16), nn.Dropout(0.1), nn.ReLU(), nn.Linear(16, 1))
    share_weights(model)
    opt = torch.optim.SGD(model.parameters(), lr=0.05)
    sync = GradientSync(model)
    x = torch.randn(512, 8, generator=torch.Generator().manual_seed(seed))
    data = TensorDataset(x, x[:, :1])
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 32, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for a, b in loader:
            opt.zero_grad()
            nn.functional.mse_loss(model(a), b).backward()
            sync()
            opt.step()
    if dist.get_rank() == 0:
        torch.save(model.state_dict(), "hand.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
