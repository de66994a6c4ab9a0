import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from schedule import freeze_for


class AutoEncoder(nn.Module):
    def __init__(self, dim=36, code=6):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(dim, 24), nn.ReLU(), nn.Linear(24, code))
        self.decoder = nn.Sequential(nn.Linear(code, 24), nn.ReLU(), nn.Linear(24, dim))

    def forward(self, x):
        return self.decoder(self.encoder(x))


def phase_of(net, phase, rank, local_rank, cuda):
    freeze_for(net, phase, rank)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    opt = torch.optim.Adam([p for p in net.parameters() if p.requires_grad], lr=1e-3)
    return model, opt


def main(phases=4):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = AutoEncoder().to(device)
    rows = torch.randn(640, 36, generator=torch.Generator().manual_seed(8))
    data = TensorDataset(rows)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    for phase in range(phases):
        model, opt = phase_of(net, phase, rank, local_rank, cuda)
        sampler.set_epoch(phase)
        for (x,) in loader:
            x = x.to(device)
            loss = nn.functional.mse_loss(model(x), x)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
    if rank == 0:
        torch.save(net.state_dict(), "ae.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
