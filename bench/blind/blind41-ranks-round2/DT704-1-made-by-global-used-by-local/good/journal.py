import json

import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, TensorDataset


class Journal:
    def __init__(self, accelerator, path):
        self.accelerator = accelerator
        self.handle = open(path, "w") if accelerator.is_main_process else None

    def note(self, **values):
        if self.accelerator.is_main_process:
            self.handle.write(json.dumps(values) + "\n")

    def close(self):
        if self.handle is not None:
            self.handle.close()


def main():
    accelerator = Accelerator()
    set_seed(0)
    journal = Journal(accelerator, "journal.jsonl")
    gen = torch.Generator().manual_seed(0)
    x = torch.randn(1000, 10, generator=gen)
    loader = DataLoader(TensorDataset(x, x.max(1, keepdim=True).values), batch_size=20, shuffle=True, drop_last=True)
    model = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 1))
    opt = torch.optim.Adam(model.parameters())
    model, opt, loader = accelerator.prepare(model, opt, loader)
    for epoch in range(4):
        for a, b in loader:
            loss = F.mse_loss(model(a), b)
            accelerator.backward(loss)
            opt.step()
            opt.zero_grad()
        mean = accelerator.reduce(loss.detach(), reduction="mean").item()
        journal.note(epoch=epoch, loss=mean)
    journal.close()
    accelerator.end_training()


if __name__ == "__main__":
    main()
