import json
from pathlib import Path

import torch
from torch.utils.data import Dataset


class Records(Dataset):
    """Token records of a JSON-lines file, kept in memory; a replica may hold its part only."""

    def __init__(self, path, length, replica=0, replicas=1):
        lines = Path(path).read_text().splitlines()
        usable = len(lines) - len(lines) % replicas
        self.rows = [json.loads(line)["ids"] for line in lines[replica:usable:replicas]]
        self.length = length

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        ids = self.rows[i][: self.length]
        return torch.tensor(ids + [0] * (self.length - len(ids)))
