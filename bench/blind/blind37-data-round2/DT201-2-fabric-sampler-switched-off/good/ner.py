from dataclasses import dataclass

import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


@dataclass
class Hyper:
    vocab: int = 8000
    tags: int = 9
    width: int = 192
    batch_size: int = 64
    epochs: int = 8
    lr: float = 2e-3


class Sentences(Dataset):
    def __init__(self, n=20_000, length=40, vocab=8000, tags=9):
        g = torch.Generator().manual_seed(404)
        self.tokens = torch.randint(1, vocab, (n, length), generator=g)
        self.tags = (self.tokens * 7 + self.tokens.roll(1, 1)) % tags

    def __len__(self):
        return len(self.tokens)

    def __getitem__(self, i):
        return self.tokens[i], self.tags[i]


class Tagger(nn.Module):
    def __init__(self, h):
        super().__init__()
        self.emb = nn.Embedding(h.vocab, h.width)
        self.rnn = nn.LSTM(h.width, h.width, bidirectional=True, batch_first=True)
        self.out = nn.Linear(2 * h.width, h.tags)

    def forward(self, tokens):
        return self.out(self.rnn(self.emb(tokens))[0])


def loaders(fabric, h):
    train = DataLoader(Sentences(), batch_size=h.batch_size, shuffle=True, num_workers=2, drop_last=True)
    return fabric.setup_dataloaders(train)


def main():
    h = Hyper()
    fabric = L.Fabric(accelerator="auto", devices="auto", strategy="ddp")
    fabric.launch()
    fabric.seed_everything(1)
    tagger = Tagger(h)
    model, optimizer = fabric.setup(tagger, torch.optim.Adam(tagger.parameters(), lr=h.lr))
    train = loaders(fabric, h)
    for epoch in range(h.epochs):
        total = torch.zeros((), device=fabric.device)
        for tokens, tags in train:
            logits = model(tokens)
            loss = F.cross_entropy(logits.flatten(0, 1), tags.flatten())
            optimizer.zero_grad()
            fabric.backward(loss)
            fabric.clip_gradients(model, optimizer, max_norm=1.0)
            optimizer.step()
            total += loss.detach()
        mean = fabric.all_reduce(total / len(train), reduce_op="mean")
        fabric.print(f"epoch {epoch} loss {mean.item():.4f}")
    fabric.save("tagger.ckpt", {"model": model})


if __name__ == "__main__":
    main()
