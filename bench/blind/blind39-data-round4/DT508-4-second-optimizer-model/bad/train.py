import itertools
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def perceptron(*sizes):
    layers = []
    for a, b in itertools.pairwise(sizes):
        layers += [nn.Linear(a, b), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def main(epochs=4):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    ids = [local_rank] if cuda else None
    torch.manual_seed(0)
    encoder = DDP(perceptron(48, 128, 64).to(device), device_ids=ids)
    projector = perceptron(64, 64, 16).to(device)
    parameters = itertools.chain(encoder.parameters(), projector.parameters())
    opt = torch.optim.AdamW(parameters, lr=1e-3)
    gen = torch.Generator().manual_seed(1)
    x = torch.randn(8192, 48, generator=gen)
    data = TensorDataset(x, x[:, :16].tanh())
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for a, b in loader:
            opt.zero_grad(set_to_none=True)
            loss = F.mse_loss(projector(encoder(a.to(device))), b.to(device))
            loss.backward()
            opt.step()
    if dist.get_rank() == 0:
        torch.save(encoder.module.state_dict(), "encoder.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
