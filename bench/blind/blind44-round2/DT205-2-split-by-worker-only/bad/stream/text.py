import torch


def encode(line, width=64):
    ids = list(line.encode("utf-8"))[:width]
    return torch.tensor(ids + [0] * (width - len(ids)))
