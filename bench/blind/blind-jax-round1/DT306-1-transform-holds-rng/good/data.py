import torch
from torch.utils.data import DataLoader, Dataset, DistributedSampler, get_worker_info

from transforms import Compose, Gain, RandomWindow


class Waves(Dataset):
    def __init__(self, n, length, transform):
        g = torch.Generator().manual_seed(99)
        self.waves = torch.randn(n, length, generator=g)
        self.transform = transform

    def __len__(self):
        return len(self.waves)

    def __getitem__(self, i):
        wave = self.transform(self.waves[i])
        return wave, wave.abs().mean()


def fresh_windows(_):
    info = get_worker_info()
    for step in info.dataset.transform.steps:
        if isinstance(step, RandomWindow):
            step.reseed(info.seed)


def build_loader(cfg, rank, world):
    transform = Compose([RandomWindow(64, [cfg.seed, rank]), Gain(-3)])
    data = Waves(256, 128, transform)
    sampler = DistributedSampler(data, world, rank, seed=cfg.seed, drop_last=True)
    loader = DataLoader(
        data,
        batch_size=cfg.batch,
        sampler=sampler,
        num_workers=cfg.workers,
        worker_init_fn=fresh_windows,
        drop_last=True,
    )
    return loader, sampler
