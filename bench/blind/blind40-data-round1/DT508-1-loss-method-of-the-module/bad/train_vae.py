import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from vae_model import VAE


def setup():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    return torch.device("cuda", local) if cuda else torch.device("cpu")


def make_loader(batch_size):
    gen = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(1024, 6, generator=gen) @ torch.randn(6, 32, generator=gen))
    sampler = DistributedSampler(data, shuffle=True, drop_last=True)
    return DataLoader(data, batch_size=batch_size, sampler=sampler, drop_last=True), sampler


def main(epochs=5):
    device = setup()
    torch.manual_seed(0)
    model = VAE().to(device)
    model = DDP(model, device_ids=[device.index] if device.type == "cuda" else None)
    torch.manual_seed(100 + dist.get_rank())
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    loader, sampler = make_loader(32)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        running = torch.zeros((), device=device)
        for (x,) in loader:
            opt.zero_grad(set_to_none=True)
            loss = model.module.loss(x.to(device))
            loss.backward()
            opt.step()
            running += loss.detach()
        dist.all_reduce(running)
        if dist.get_rank() == 0:
            print(f"{epoch} {running.item() / (len(loader) * dist.get_world_size()):.3f}")
            torch.save(model.module.state_dict(), "vae.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
