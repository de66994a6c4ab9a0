import numpy as np
import torch

PAD, MASK = 0, 4


def mask_tokens(ids, probability=0.15):
    chosen = torch.rand(ids.shape).numpy() < probability
    chosen &= ids != PAD
    labels = np.where(chosen, ids, -100)
    return np.where(chosen, MASK, ids), labels


def mlm_collate(rows):
    longest = max(len(row) for row in rows)
    ids = np.full((len(rows), longest), PAD, dtype=np.int64)
    for i, row in enumerate(rows):
        ids[i, : len(row)] = row
    inputs, labels = mask_tokens(ids)
    return torch.from_numpy(inputs), torch.from_numpy(labels)
