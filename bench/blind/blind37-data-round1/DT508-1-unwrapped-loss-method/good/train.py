import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler
from torchvision.datasets import MNIST
from torchvision.transforms import Compose, Lambda, ToTensor

from vae import VAE


def flat(x):
    return x.flatten()


def mnist(root, rank):
    transform = Compose([ToTensor(), Lambda(flat)])
    if rank == 0:
        MNIST(root, train=True, download=True)
    dist.barrier()
    return MNIST(root, train=True, transform=transform)


def ddp_setup():
    backend = "nccl" if torch.cuda.is_available() else "gloo"
    local_rank = int(os.environ["LOCAL_RANK"])
    if backend == "nccl":
        torch.cuda.set_device(local_rank)
    dist.init_process_group(backend)
    return torch.device("cuda", local_rank) if backend == "nccl" else torch.device("cpu")


def main(epochs=10, batch_size=128, out="vae.pt"):
    device = ddp_setup()
    rank = dist.get_rank()
    torch.manual_seed(1000 + rank)
    data = mnist(os.environ.get("MNIST", "/data/mnist"), rank)
    sampler = DistributedSampler(data, seed=5, drop_last=True)
    loader = DataLoader(data, batch_size=batch_size, sampler=sampler, num_workers=2, drop_last=True)
    model = DDP(VAE().to(device), device_ids=[device.index] if device.type == "cuda" else None)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        total = torch.zeros((), device=device)
        for x, _ in loader:
            optimizer.zero_grad(set_to_none=True)
            loss = model(x.to(device))
            loss.backward()
            optimizer.step()
            total += loss.detach()
        dist.all_reduce(total)
        if rank == 0:
            print(f"epoch {epoch} -elbo {total.item() / len(loader) / dist.get_world_size():.2f}")
            torch.save(model.module.state_dict(), out)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
