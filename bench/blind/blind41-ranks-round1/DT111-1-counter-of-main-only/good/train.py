from collections import deque

import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, TensorDataset


class Progress:
    def __init__(self, accelerator, window=25):
        self.accelerator = accelerator
        self.window = window
        self.recent = deque(maxlen=window)
        self.seen = 0

    def record(self, loss):
        self.recent.append(loss.detach())
        self.seen += 1

    def due(self):
        return self.seen > 0 and self.seen % self.window == 0

    def publish(self, epoch):
        mean = self.accelerator.reduce(torch.stack(tuple(self.recent)).mean(), reduction="mean")
        self.accelerator.print(f"epoch {epoch}: {mean.item():.4f}")


def main():
    accelerator = Accelerator(mixed_precision="no")
    set_seed(23)
    gen = torch.Generator().manual_seed(23)
    inputs = torch.randn(3200, 20, generator=gen)
    targets = inputs[:, :2].prod(dim=1, keepdim=True)
    loader = DataLoader(TensorDataset(inputs, targets), batch_size=32, shuffle=True, drop_last=True)
    model = nn.Sequential(nn.Linear(20, 64), nn.Mish(), nn.Linear(64, 1))
    optimizer = torch.optim.NAdam(model.parameters(), lr=1e-3)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    progress = Progress(accelerator)
    for epoch in range(4):
        for x, y in loader:
            loss = F.mse_loss(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            progress.record(loss)
            if progress.due():
                progress.publish(epoch)
    accelerator.end_training()


if __name__ == "__main__":
    main()
