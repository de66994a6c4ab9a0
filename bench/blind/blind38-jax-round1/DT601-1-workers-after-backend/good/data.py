import numpy as np
from torch.utils.data import DataLoader, Dataset


class Scans(Dataset):
    def __init__(self, path, size):
        self.volumes = np.load(path, mmap_mode="r")
        self.size = size

    def __len__(self):
        return len(self.volumes)

    def __getitem__(self, index):
        volume = np.asarray(self.volumes[index], dtype=np.float32)
        start = (volume.shape[0] - self.size) // 2
        centre = volume[start : start + self.size]
        return (centre - centre.mean()) / (centre.std() + 1e-6)


def numpy_collate(items):
    return np.stack(items)


def loader(path, size, batch, workers):
    return DataLoader(
        Scans(path, size),
        batch_size=batch,
        shuffle=True,
        drop_last=True,
        num_workers=workers,
        persistent_workers=workers > 0,
        multiprocessing_context="spawn" if workers > 0 else None,
        collate_fn=numpy_collate,
    )
