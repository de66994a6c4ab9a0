import torch
from torch.utils.data import Dataset


class NoisyScans(Dataset):
    def __init__(self, scans):
        self.scans = scans
        self.sigma = 0.05

    def __len__(self):
        return len(self.scans)

    def __getitem__(self, index):
        scan = self.scans[index]
        return scan + self.sigma * torch.randn_like(scan), scan
