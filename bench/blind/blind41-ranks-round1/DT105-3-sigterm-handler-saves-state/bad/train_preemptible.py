import signal

import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, TensorDataset


class Preemption:
    def __init__(self, accelerator, folder):
        self.accelerator, self.folder = accelerator, folder
        self.asked = False
        signal.signal(signal.SIGTERM, self.on_signal)

    def on_signal(self, number, frame):
        self.accelerator.wait_for_everyone()
        self.accelerator.save_state(self.folder)
        raise SystemExit(0)

    def leave(self):
        flag = torch.tensor([int(self.asked)], device=self.accelerator.device)
        total = self.accelerator.reduce(flag, reduction="sum")
        return total.item() > 0


def main():
    accelerator = Accelerator(gradient_accumulation_steps=2)
    set_seed(17)
    gen = torch.Generator().manual_seed(2)
    data = TensorDataset(torch.randn(1024, 16, generator=gen), torch.randint(0, 4, (1024,), generator=gen))
    loader = DataLoader(data, batch_size=16, shuffle=True, drop_last=True)
    model = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 4))
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    preemption = Preemption(accelerator, "preempted")
    for epoch in range(4):
        for x, y in loader:
            with accelerator.accumulate(model):
                loss = F.cross_entropy(model(x), y)
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
            if preemption.leave():
                accelerator.save_state("preempted")
                return
    accelerator.wait_for_everyone()
    accelerator.end_training()


if __name__ == "__main__":
    main()
