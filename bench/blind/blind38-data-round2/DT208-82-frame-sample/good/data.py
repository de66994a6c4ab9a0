import pandas as pd
import torch
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Clicks(Dataset):
    def __init__(self, frame):
        self.x = torch.tensor(frame.filter(like="f_").to_numpy(), dtype=torch.float32)
        self.y = torch.tensor(frame["clicked"].to_numpy(), dtype=torch.float32)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, index):
        return self.x[index], self.y[index]


def split(path, held_out):
    frame = pd.read_parquet(path)
    test = frame.sample(frac=held_out, random_state=20)
    return frame.drop(test.index), test


def loaders(path, batch_size, held_out=0.1):
    train, test = (Clicks(part) for part in split(path, held_out))
    return (
        DataLoader(train, batch_size, sampler=DistributedSampler(train, shuffle=True, drop_last=True), drop_last=True),
        DataLoader(test, batch_size, sampler=DistributedSampler(test, shuffle=False)),
    )
