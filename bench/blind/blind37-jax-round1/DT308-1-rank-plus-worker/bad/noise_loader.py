import numpy as np
import torch
from torch.utils.data import Dataset


class NoisySpeech(Dataset):
    """Mixes a clean clip with a random piece of noise."""

    def __init__(self, clean, noise):
        self.clean = clean
        self.noise = noise
        self.rng = None

    def __len__(self):
        return len(self.clean)

    def __getitem__(self, index):
        clip = self.clean[index]
        start = int(self.rng.integers(0, self.noise.numel() - clip.numel()))
        gain = float(self.rng.uniform(0.05, 0.3))
        return clip + gain * self.noise[start : start + clip.numel()], clip


class WorkerSeeds:
    def __init__(self, seed, rank, workers):
        self.seed = seed
        self.rank = rank
        self.workers = workers

    def __call__(self, worker_id):
        dataset = torch.utils.data.get_worker_info().dataset
        dataset.rng = np.random.default_rng(self.seed + self.rank + worker_id)
