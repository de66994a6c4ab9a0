"""Accelerate prepares the model and the optimizer only: the rows were dealt out by hand before."""
from dataclasses import dataclass

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, Subset, TensorDataset


@dataclass
class Options:
    rows: int = 4100
    width: int = 32
    batch: int = 40
    epochs: int = 5
    lr: float = 1e-2


def everything(options):
    g = torch.Generator().manual_seed(0)
    x = torch.randn(options.rows, options.width, generator=g)
    return TensorDataset(x, (x.sum(dim=1) > 0).long())


def own_part(rows, index, count):
    share = len(rows) // count
    return Subset(rows, range(index * share, (index + 1) * share))


def main():
    options = Options()
    accelerator = Accelerator()
    set_seed(9)
    part = own_part(everything(options), accelerator.process_index, accelerator.num_processes)
    loader = DataLoader(part, batch_size=options.batch, shuffle=True, drop_last=True)

    model = nn.Sequential(nn.Linear(options.width, 64), nn.Tanh(), nn.Linear(64, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=options.lr, momentum=0.9)
    model, optimizer = accelerator.prepare(model, optimizer)
    for epoch in range(options.epochs):
        right = torch.zeros(2, device=accelerator.device)
        for x, y in loader:
            x, y = x.to(accelerator.device), y.to(accelerator.device)
            scores = model(x)
            accelerator.backward(nn.functional.cross_entropy(scores, y))
            optimizer.step()
            optimizer.zero_grad()
            right += torch.tensor([(scores.argmax(1) == y).sum().item(), len(y)], device=accelerator.device)
        right = accelerator.reduce(right, reduction="sum")
        accelerator.print(f"epoch {epoch}: train accuracy {(right[0] / right[1]).item():.3f}")
    accelerator.wait_for_everyone()
    accelerator.save(accelerator.unwrap_model(model).state_dict(), "classifier.pt")
    accelerator.end_training()


if __name__ == "__main__":
    main()
