import torch
from torch.utils.data import Dataset


class NoisyDigits(Dataset):
    def __init__(self, images, level=0.1):
        self.images = images
        self.level = level

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        clean = self.images[index]
        return clean + self.level * torch.randn_like(clean), clean
