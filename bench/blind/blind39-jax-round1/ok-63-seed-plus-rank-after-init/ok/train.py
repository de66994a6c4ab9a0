"""Denoising autoencoder; hand-written gradient averaging, so the initial weights must agree."""
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Patches(Dataset):
    def __init__(self, path):
        self.patches = torch.load(path, map_location="cpu", mmap=True)

    def __len__(self):
        return len(self.patches)

    def __getitem__(self, index):
        patch = self.patches[index].float()
        if torch.rand(()) < 0.5:
            patch = patch.flip(-1)
        return torch.rot90(patch, int(torch.randint(4, ())), dims=(-2, -1))


def network():
    return nn.Sequential(nn.Conv2d(1, 32, 5, padding=2), nn.ReLU(), nn.Conv2d(32, 1, 5, padding=2))


class Averager:
    def __init__(self, model, world):
        self.params = [p for p in model.parameters() if p.requires_grad]
        self.world = world

    def __call__(self):
        works = [dist.all_reduce(p.grad, async_op=True) for p in self.params]
        for work, param in zip(works, self.params):
            work.wait()
            param.grad.div_(self.world)


def main(seed=77, epochs=4, sigma=0.2):
    dist.init_process_group("nccl")
    rank, world, local = dist.get_rank(), dist.get_world_size(), int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    torch.manual_seed(seed)
    model = network().cuda()
    average = Averager(model, world)

    torch.manual_seed(seed + 1 + rank)
    noise = torch.Generator(device="cuda")
    noise.manual_seed((seed << 16) + rank)
    data = Patches("patches.pt")
    sampler = DistributedSampler(data, seed=seed, drop_last=True)
    loader = DataLoader(
        data,
        batch_size=64,
        sampler=sampler,
        num_workers=4,
        persistent_workers=True,
        drop_last=True,
        generator=torch.Generator().manual_seed(seed + 1000 * (rank + 1)),
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for clean in loader:
            clean = clean.cuda(non_blocking=True)
            noisy = clean + sigma * torch.randn(clean.shape, generator=noise, device="cuda")
            loss = nn.functional.mse_loss(model(noisy), clean)
            optimizer.zero_grad(set_to_none=False)
            loss.backward()
            average()
            optimizer.step()
    if rank == 0:
        torch.save(model.state_dict(), "denoiser.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
