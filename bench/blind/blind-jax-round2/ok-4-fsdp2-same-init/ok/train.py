import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class MaskedAutoencoder(nn.Module):
    def __init__(self, dim=24, width=48):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(dim, width), nn.GELU())
        self.decoder = nn.Linear(width, dim)

    def forward(self, x, mask):
        return self.decoder(self.encoder(x * mask))


def seed_for(base, *path):
    value = base
    for part in path:
        value = (value * 1_000_003 + part + 1) % 2**31
    return value


def main(seed=12, epochs=2, batch=16):
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("cpu:gloo,cuda:nccl" if cuda else "gloo")
    device = "cuda" if cuda else "cpu"
    rank, world = dist.get_rank(), dist.get_world_size()
    mesh = init_device_mesh(device, (world,))
    torch.manual_seed(seed)
    model = MaskedAutoencoder().to(device)
    fully_shard(model.encoder, mesh=mesh)
    fully_shard(model, mesh=mesh)
    torch.manual_seed(seed + rank)
    masks = torch.Generator(device).manual_seed(seed_for(seed, rank))
    optim = torch.optim.AdamW(model.parameters(), lr=1e-3)
    data = TensorDataset(torch.rand(512, 24, generator=torch.Generator().manual_seed(0)))
    sampler = DistributedSampler(data, world, rank, drop_last=True)
    loader = DataLoader(data, batch, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.to(device)
            mask = (torch.rand(x.shape, generator=masks, device=device) > 0.4).float()
            loss = F.mse_loss(model(x, mask), x)
            loss.backward()
            optim.step()
            optim.zero_grad()
    state = get_model_state_dict(model, options=StateDictOptions(full_state_dict=True, cpu_offload=True))
    if rank == 0:
        torch.save(state, "mae.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
