import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset


class Strings(Dataset):
    def __init__(self, n=1000):
        g = torch.Generator().manual_seed(0)
        self.lengths = torch.randint(4, 40, (n,), generator=g).tolist()
        self.rows = [torch.randint(1, 50, (k,), generator=g) for k in self.lengths]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


def collate(rows):
    return pad_sequence(rows, batch_first=True)
