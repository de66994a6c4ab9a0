from pathlib import Path

import torch
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler


class PatchFolder(Dataset):
    """Pre-cut patches, one tensor file per slide region, ordered by class in the index."""

    def __init__(self, root, split):
        self.root = Path(root)
        lines = (self.root / f"{split}.tsv").read_text().splitlines()
        self.rows = [line.split("\t") for line in lines]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        name, label = self.rows[index]
        patch = torch.load(self.root / name, map_location="cpu", weights_only=True)
        return patch.float() / 255.0, int(label)


def build_loader(root, split, batch_size, workers):
    dataset = PatchFolder(root, split)
    training = split == "train"
    sampler = DistributedSampler(dataset, shuffle=training, drop_last=training)
    return DataLoader(
        dataset,
        batch_size=batch_size,
        sampler=sampler,
        num_workers=workers,
        pin_memory=True,
        drop_last=training,
    )
