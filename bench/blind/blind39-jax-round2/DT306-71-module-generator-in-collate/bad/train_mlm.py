import os
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, DistributedSampler

from collate import mlm_collate


class Sentences(Dataset):
    def __init__(self, folder):
        folder = Path(folder)
        self.ids = np.load(folder / "ids.npy", mmap_mode="r")
        self.ends = np.load(folder / "ends.npy")

    def __len__(self):
        return len(self.ends) - 1

    def __getitem__(self, i):
        return np.asarray(self.ids[self.ends[i] : self.ends[i + 1]])


class Bert(nn.Module):
    def __init__(self, vocab=16000, dim=256):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(dim, 8, 4 * dim, batch_first=True), 4)
        self.out = nn.Linear(dim, vocab)

    def forward(self, ids):
        return self.out(self.encoder(self.embed(ids), src_key_padding_mask=ids == 0))


def main(epochs=5):
    dist.init_process_group("nccl")
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    torch.manual_seed(17 + dist.get_rank())
    data = Sentences("sentences")
    sampler = DistributedSampler(data, seed=17, drop_last=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, collate_fn=mlm_collate, num_workers=8, drop_last=True)
    model = DistributedDataParallel(Bert().cuda(), device_ids=[local])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for inputs, labels in loader:
            logits = model(inputs.cuda(non_blocking=True))
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), labels.cuda(non_blocking=True).flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "bert.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
