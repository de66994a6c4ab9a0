import torch
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def data():
    g = torch.Generator().manual_seed(70)
    ids = torch.randint(1, 40, (256, 16), generator=g)
    lengths = torch.randint(3, 16, (256, 1), generator=g)
    return TensorDataset(ids, torch.arange(16)[None] < lengths)


class Scorer(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb, self.out = nn.Embedding(40, 12), nn.Linear(12, 40)

    def forward(self, ids):
        return self.out(self.emb(ids))


def main():
    accelerator = Accelerator()
    set_seed(1)
    model, loader = accelerator.prepare(Scorer(), DataLoader(data(), batch_size=16))
    total = torch.zeros(2, device=accelerator.device)
    histogram = torch.zeros(40, device=accelerator.device)
    model.eval()
    with torch.inference_mode():
        for ids, mask in loader:
            loss = F.cross_entropy(model(ids[:, :-1]).transpose(1, 2), ids[:, 1:], reduction="none")
            kept = loss[mask[:, 1:]]
            total += torch.stack([kept.sum(), torch.tensor(float(kept.numel()), device=loss.device)])
            histogram += torch.bincount(ids[mask], minlength=40)
    total = accelerator.reduce(total, reduction="sum")
    histogram = accelerator.reduce(histogram, reduction="sum")
    if accelerator.is_main_process:
        accelerator.save({"loss": (total[0] / total[1]).item(), "words": histogram.cpu()}, "scores.pt")
    accelerator.end_training()


if __name__ == "__main__":
    main()
