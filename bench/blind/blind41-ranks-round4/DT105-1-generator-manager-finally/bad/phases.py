import contextlib
import time

import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, TensorDataset


@contextlib.contextmanager
def phase(accelerator, name):
    start = time.perf_counter()
    try:
        yield
    finally:
        accelerator.wait_for_everyone()
        accelerator.print(f"{name}: {time.perf_counter() - start:.1f}s")


def main():
    accelerator = Accelerator()
    set_seed(4)
    gen = torch.Generator().manual_seed(4)
    data = TensorDataset(torch.randn(1600, 12, generator=gen), torch.randint(0, 4, (1600,), generator=gen))
    loader = DataLoader(data, batch_size=16, shuffle=True, drop_last=True)
    model = nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 4))
    opt = torch.optim.Adam(model.parameters())
    model, opt, loader = accelerator.prepare(model, opt, loader)
    for epoch in range(3):
        with phase(accelerator, f"epoch {epoch}"):
            for x, y in loader:
                accelerator.backward(F.cross_entropy(model(x), y))
                opt.step()
                opt.zero_grad()
    accelerator.end_training()


if __name__ == "__main__":
    main()
