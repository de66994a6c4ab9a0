import torch
from torch.utils.data import Dataset


class Clips(Dataset):
    def __init__(self, manifest):
        with open(manifest) as f:
            self.paths = [line.strip() for line in f if line.strip()]

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        clip = torch.load(self.paths[i], map_location="cpu", weights_only=True)
        return clip["frames"], clip["label"]
