import os

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from keeper import BestKeeper


def clouds(n, seed, classes=4):
    g = torch.Generator().manual_seed(seed)
    labels = torch.randint(0, classes, (n,), generator=g)
    return TensorDataset(torch.randn(n, 8, generator=g) + labels[:, None], labels)


@torch.no_grad()
def accuracy(accelerator, model, loader):
    model.eval()
    right = seen = 0
    for x, y in loader:
        guess = model(x).argmax(-1)
        guess, y = accelerator.gather_for_metrics((guess, y))
        right += (guess == y).sum().item()
        seen += y.numel()
    model.train()
    return right / seen


def main():
    accelerator = Accelerator()
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    train = DataLoader(clouds(800, 1), batch_size=32, shuffle=True, drop_last=True)
    held = DataLoader(clouds(200, 2), batch_size=32)
    model, optimizer, train, held = accelerator.prepare(model, optimizer, train, held)
    keeper = BestKeeper(os.environ.get("OUT", "best.pt"))
    for epoch in range(5):
        for x, y in train:
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            accelerator.backward(loss)
            optimizer.step()
        score = accuracy(accelerator, model, held)
        if accelerator.is_main_process:
            kept = keeper.offer(score, accelerator.unwrap_model(model).state_dict())
            accelerator.print(f"epoch {epoch}: {score:.3f}{' *' if kept else ''}")
        accelerator.wait_for_everyone()
    accelerator.end_training()


if __name__ == "__main__":
    main()
