import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

import env


def noisy_sines(n=4000):
    gen = torch.Generator().manual_seed(2)
    t = torch.rand(n, 1, generator=gen) * 12
    return TensorDataset(t, t.sin() + 0.05 * torch.randn(n, 1, generator=gen))


def main(epochs=10):
    here = env.start()
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(1, 64), nn.Tanh(), nn.Linear(64, 1)).to(here.device)
    model = DistributedDataParallel(net, device_ids=[here.device])
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    data = noisy_sines()
    sampler = DistributedSampler(data, num_replicas=here.world_size, rank=here.rank, drop_last=True)
    loader = DataLoader(data, batch_size=50, sampler=sampler, drop_last=True, pin_memory=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for t, y in loader:
            opt.zero_grad(set_to_none=True)
            F.mse_loss(model(t.to(here.device)), y.to(here.device)).backward()
            opt.step()
    if here.rank == 0:
        torch.save({"model": model.module.state_dict()}, "sines.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
