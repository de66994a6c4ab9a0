import torch
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from runtime import Runtime


def two_moons(n=65_536):
    g = torch.Generator().manual_seed(5)
    t = torch.rand(n, generator=g) * torch.pi
    side = torch.randint(2, (n,), generator=g)
    x = torch.stack([t.cos() + side, t.sin() * (1 - 2 * side) + 0.5 * side], dim=1)
    return TensorDataset(x + 0.1 * torch.randn(n, 2, generator=g), side)


def main():
    with Runtime() as rt:
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 2)).to(rt.device)
        model = DDP(net, device_ids=[rt.device])
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
        data = two_moons()
        sampler = DistributedSampler(data, num_replicas=rt.world, rank=rt.rank, drop_last=True)
        loader = DataLoader(data, batch_size=256, sampler=sampler, drop_last=True)
        for epoch in range(5):
            sampler.set_epoch(epoch)
            total = torch.zeros((), device=rt.device)
            for x, y in loader:
                loss = nn.functional.cross_entropy(model(x.to(rt.device)), y.to(rt.device))
                optimizer.zero_grad(set_to_none=True)
                loss.backward()
                optimizer.step()
                total += loss.detach()
            mean = rt.mean(total / len(loader))
            if rt.chief:
                print(f"{epoch} {mean:.4f}")
                torch.save(net.state_dict(), "moons.pt")


if __name__ == "__main__":
    main()
