import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class GradientMean:
    def __init__(self, model):
        self.parameters = [p for p in model.parameters() if p.requires_grad]
        for p in model.parameters():
            dist.broadcast(p.data, src=0)
        for b in model.buffers():
            dist.broadcast(b, src=0)

    @torch.no_grad()
    def __call__(self):
        flat = torch.cat([p.grad.flatten() for p in self.parameters])
        dist.all_reduce(flat)
        flat /= dist.get_world_size()
        for p, g in zip(self.parameters, flat.split([p.numel() for p in self.parameters])):
            p.grad.copy_(g.view_as(p))


def main(epochs=2, seed=0):
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(seed + rank)
    model = nn.Sequential(nn.Linear(14, 64), nn.ReLU(), nn.Linear(64, 14)).to(device)
    mean_gradients = GradientMean(model)
    noise = torch.Generator(device=device).manual_seed(1000 + rank)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    data = TensorDataset(torch.randn(960, 14, generator=torch.Generator().manual_seed(6)))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.to(device)
            dirty = x + 0.1 * torch.randn(x.shape, generator=noise, device=device)
            opt.zero_grad()
            F.mse_loss(model(dirty), x).backward()
            mean_gradients()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
    if rank == 0:
        torch.save(model.state_dict(), "denoiser.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
