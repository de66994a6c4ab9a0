import numpy as np
import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler

from seeds import Seeds, give_generator


class Jittered(Dataset):
    def __init__(self, n=256, dim=8):
        self.base = np.linspace(-1, 1, n * dim, dtype=np.float32).reshape(n, dim)
        self.rng = None

    def __len__(self):
        return len(self.base)

    def __getitem__(self, i):
        clean = self.base[i]
        noisy = clean + self.rng.normal(scale=0.1, size=clean.shape).astype(np.float32)
        return noisy, clean


def main(entropy=1234, epochs=2):
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    seeds = Seeds(entropy, rank, world)
    torch.manual_seed(seeds.number("own"))
    model = DDP(torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 8)))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    sampler = DistributedSampler(data := Jittered(), seed=seeds.number("common"), drop_last=True)
    loader = DataLoader(
        data, batch_size=16, sampler=sampler, num_workers=2, worker_init_fn=give_generator, drop_last=True
    )
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for noisy, clean in loader:
            loss = F.mse_loss(model(noisy), clean)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
