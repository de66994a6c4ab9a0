import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

import runtime

NETWORK = {"NCCL_SOCKET_IFNAME": "eth0", "NCCL_IB_DISABLE": 1}


def build(local_rank, dim=256):
    model = nn.Sequential(nn.Linear(dim, 1024), nn.GELU(), nn.Linear(1024, dim)).cuda(local_rank)
    return DistributedDataParallel(model, device_ids=[local_rank])


def train(model, loader, sampler, epochs, local_rank):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.cuda(local_rank, non_blocking=True)
            loss = (model(x) - x).square().mean()
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    runtime.apply_network_settings(NETWORK)
    runtime.start(local_rank)
    torch.manual_seed(0)
    data = TensorDataset(torch.load("activations.pt", map_location="cpu"))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=512, sampler=sampler, num_workers=4, pin_memory=True, drop_last=True)
    model = build(local_rank)
    train(model, loader, sampler, 4, local_rank)
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "autoencoder.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
