import time

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Deadline:
    def __init__(self, seconds):
        self.end = time.monotonic() + seconds

    def passed(self):
        return time.monotonic() > self.end


def main():
    accelerator = Accelerator(cpu=True)
    set_seed(2)
    loader = DataLoader(TensorDataset(torch.randn(4096, 6)), 16, shuffle=True)
    model = nn.Linear(6, 6)
    optimizer = torch.optim.Adam(model.parameters())
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    deadline = Deadline(30)
    for epoch in range(100):
        for (x,) in loader:
            optimizer.zero_grad()
            accelerator.backward((model(x) - x).square().mean())
            optimizer.step()
            if deadline.passed():
                accelerator.set_trigger()
            if accelerator.check_trigger():
                break
        else:
            continue
        break
    accelerator.wait_for_everyone()
    accelerator.save_model(model, "out")
    accelerator.end_training()


if __name__ == "__main__":
    main()
