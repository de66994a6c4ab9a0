import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

import seeds


def main(seed=41, epochs=3):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    seeds.seed_for_init(seed)
    model = nn.Sequential(nn.Linear(32, 256), nn.SiLU(), nn.Linear(256, 32)).cuda()
    for layer in model:
        if any(True for _ in layer.parameters()):
            fully_shard(layer)
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    seeds.seed_for_noise(seed, dist.get_rank(), dist.get_world_size())
    data = TensorDataset(torch.load("latents.pt", map_location="cpu"))
    sampler = DistributedSampler(data, seed=seed, drop_last=True)
    loader = DataLoader(data, 256, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for (clean,) in loader:
            clean = clean.cuda()
            noise = torch.randn_like(clean)
            level = torch.rand(len(clean), 1, device="cuda")
            loss = nn.functional.mse_loss(model((1 - level) * clean + level * noise), noise - clean)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
