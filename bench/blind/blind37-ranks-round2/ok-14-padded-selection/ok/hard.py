import torch
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def data(n=300):
    g = torch.Generator().manual_seed(12)
    x = torch.randn(n, 9, generator=g)
    return TensorDataset(x, x[:, :3].argmax(1), torch.rand(n, generator=g) < 0.7)


@torch.no_grad()
def hard_examples(accelerator, model, loader, threshold):
    model.eval()
    rows, losses = [], []
    for x, y, usable in loader:
        loss = F.cross_entropy(model(x), y, reduction="none")
        pick = (loss > threshold) & usable.bool()
        rows.append(x[pick])
        losses.append(loss[pick])
    rows, losses = torch.cat(rows), torch.cat(losses)
    rows = accelerator.pad_across_processes(rows, dim=0, pad_index=0)
    losses = accelerator.pad_across_processes(losses, dim=0, pad_index=-1)
    rows, losses = accelerator.gather((rows, losses))
    keep = losses >= 0
    return rows[keep], losses[keep]


def main():
    accelerator = Accelerator()
    set_seed(8)
    model = nn.Sequential(nn.Linear(9, 18), nn.ReLU(), nn.Linear(18, 3))
    loader = DataLoader(data(), batch_size=12)
    model, loader = accelerator.prepare(model, loader)
    rows, losses = hard_examples(accelerator, model, loader, threshold=1.2)
    if accelerator.is_main_process:
        accelerator.save({"rows": rows.cpu(), "losses": losses.cpu()}, "hard.pt")
    accelerator.end_training()


if __name__ == "__main__":
    main()
