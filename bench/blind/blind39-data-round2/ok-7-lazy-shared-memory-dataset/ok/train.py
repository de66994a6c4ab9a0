import json
import os
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class TokenFile(Dataset):
    def __init__(self, folder, block):
        self.folder = Path(folder)
        self.block = block
        self.meta = json.loads((self.folder / "meta.json").read_text())
        self._tokens = None

    @property
    def tokens(self):
        if self._tokens is None:
            self._tokens = np.memmap(self.folder / "tokens.bin", dtype=np.uint16, mode="r")
        return self._tokens

    def __len__(self):
        return (self.meta["tokens"] - 1) // self.block

    def __getitem__(self, i):
        start = i * self.block
        chunk = torch.from_numpy(self.tokens[start : start + self.block + 1].astype(np.int64))
        return chunk[:-1], chunk[1:]


class TinyGPT(nn.Module):
    def __init__(self, vocab, block, dim=128, heads=4, depth=2):
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocab, dim), nn.Embedding(block, dim)
        layer = nn.TransformerEncoderLayer(dim, heads, 4 * dim, batch_first=True, norm_first=True)
        self.blocks = nn.TransformerEncoder(layer, depth, enable_nested_tensor=False)
        self.head = nn.Linear(dim, vocab)

    def forward(self, ids):
        where = torch.arange(ids.shape[1], device=ids.device)
        mask = nn.Transformer.generate_square_subsequent_mask(ids.shape[1], device=ids.device)
        return self.head(self.blocks(self.tok(ids) + self.pos(where), mask=mask, is_causal=True))


def main(folder="/data/tokens", block=256, epochs=1):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    rank, device = dist.get_rank(), torch.device("cuda", local_rank)
    torch.manual_seed(0)
    data = TokenFile(folder, block)
    sampler = DistributedSampler(data, shuffle=True, seed=1, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True, num_workers=4, persistent_workers=True)
    model = DDP(TinyGPT(data.meta["vocab"], block).to(device), device_ids=[local_rank])
    opt = torch.optim.AdamW(model.parameters(), lr=3e-4, betas=(0.9, 0.95))
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for step, (ids, labels) in enumerate(loader):
            opt.zero_grad(set_to_none=True)
            loss = F.cross_entropy(model(ids.to(device)).flatten(0, 1), labels.to(device).flatten())
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            if step % 100 == 0:
                shown = loss.detach().clone()
                dist.all_reduce(shown, op=dist.ReduceOp.AVG)
                if rank == 0:
                    print(step, round(shown.item(), 4), flush=True)
    if rank == 0:
        torch.save(model.module.state_dict(), "tinygpt.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
