import random

import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator, DataLoaderConfiguration
from accelerate.utils import set_seed
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset


class Sentences(Dataset):
    def __init__(self, n=2000, vocab=800):
        gen = torch.Generator().manual_seed(16)
        sizes = torch.randint(4, 60, (n,), generator=gen).tolist()
        self.rows = [torch.randint(1, vocab, (s,), generator=gen) for s in sizes]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


class SimilarLengths:
    def __init__(self, dataset, batch_size, seed):
        self.sizes = [len(dataset[i]) for i in range(len(dataset))]
        self.batch_size = batch_size
        self.drop_last = True
        self.rng = random.Random(seed)

    def __len__(self):
        return len(self.sizes) // self.batch_size

    def __iter__(self):
        noisy = sorted(range(len(self.sizes)), key=lambda i: self.sizes[i] + self.rng.random() * 5)
        starts = list(range(0, len(self) * self.batch_size, self.batch_size))
        self.rng.shuffle(starts)
        for s in starts:
            yield noisy[s : s + self.batch_size]


class LM(nn.Module):
    def __init__(self, vocab=800, dim=96):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.rnn = nn.LSTM(dim, dim, batch_first=True)
        self.out = nn.Linear(dim, vocab)

    def forward(self, ids):
        return self.out(self.rnn(self.emb(ids))[0])


def main(epochs=3):
    accelerator = Accelerator(dataloader_config=DataLoaderConfiguration(even_batches=True))
    set_seed(5)
    data = Sentences()
    loader = DataLoader(
        data, batch_sampler=SimilarLengths(data, 16, seed=5), collate_fn=lambda r: pad_sequence(r, batch_first=True)
    )
    model = LM()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.01, total_iters=epochs * len(loader))
    model, optimizer, loader, schedule = accelerator.prepare(model, optimizer, loader, schedule)
    for epoch in range(epochs):
        total = torch.zeros(2, device=accelerator.device)
        for ids in loader:
            logits = model(ids[:, :-1])
            loss = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten(), ignore_index=0)
            accelerator.backward(loss)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
            total += torch.stack([loss.detach(), torch.ones_like(loss)])
        total = accelerator.reduce(total, reduction="sum")
        accelerator.print(f"epoch {epoch} loss {(total[0] / total[1]).item():.3f}")
    accelerator.wait_for_everyone()
    accelerator.save_model(model, "lm")
    accelerator.end_training()


if __name__ == "__main__":
    main()
