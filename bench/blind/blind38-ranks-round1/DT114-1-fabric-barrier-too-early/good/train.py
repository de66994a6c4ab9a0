import argparse
from pathlib import Path

import lightning as L
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


def build_index(texts, target, width=32):
    """Bytes of all documents in one array, and where each window of it begins."""
    stream = np.frombuffer("\n".join(texts).encode(), dtype=np.uint8)
    starts = np.arange(0, len(stream) - width - 1, width // 2, dtype=np.int64)
    np.savez(target, stream=stream, starts=starts)


class Windows(Dataset):
    def __init__(self, index, width=32):
        packed = np.load(index)
        self.stream, self.starts, self.width = packed["stream"], packed["starts"], width

    def __len__(self):
        return len(self.starts)

    def __getitem__(self, i):
        first = self.starts[i]
        piece = torch.from_numpy(self.stream[first : first + self.width + 1].astype(np.int64))
        return piece[:-1], piece[1:]


class ByteModel(nn.Module):
    def __init__(self, dim=64):
        super().__init__()
        self.embed = nn.Embedding(256, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.out = nn.Linear(dim, 256)

    def forward(self, x):
        hidden, _ = self.rnn(self.embed(x))
        return self.out(hidden)


def prepare(fabric, corpus, work):
    index = Path(work) / "windows.npz"
    if fabric.is_global_zero:
        index.parent.mkdir(parents=True, exist_ok=True)
    if fabric.is_global_zero:
        build_index(Path(corpus).read_text().splitlines(), index)
    fabric.barrier("index")
    return Windows(index)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--corpus", default="corpus.txt")
    parser.add_argument("--work", default="work")
    parser.add_argument("--devices", type=int, default=2)
    args = parser.parse_args()
    fabric = L.Fabric(devices=args.devices, strategy="ddp", precision="32-true")
    fabric.launch()
    fabric.seed_everything(1)
    data = prepare(fabric, args.corpus, args.work)
    loader = fabric.setup_dataloaders(DataLoader(data, batch_size=32, shuffle=True, drop_last=True))
    model = ByteModel()
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model, opt = fabric.setup(model, opt)
    for epoch in range(2):
        for x, y in loader:
            opt.zero_grad()
            loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
            fabric.backward(loss)
            opt.step()
        fabric.print(f"epoch {epoch} done")
    fabric.save(Path(args.work) / "last.ckpt", {"model": model, "opt": opt})


if __name__ == "__main__":
    main()
