import numpy as np
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, n=4096, dim=8):
        self.x = np.random.default_rng(0).normal(size=(n, dim)).astype(np.float32)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.x[i]


def stack(rows):
    return np.stack(rows)


def make_loader(batch_size):
    return DataLoader(
        Rows(),
        batch_size=batch_size,
        shuffle=True,
        num_workers=4,
        drop_last=True,
        collate_fn=stack,
        multiprocessing_context="forkserver",
    )
