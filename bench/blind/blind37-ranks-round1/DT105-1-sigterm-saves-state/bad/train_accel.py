import signal
import sys

import torch
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import ProjectConfiguration, set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def make_data(n=640):
    g = torch.Generator().manual_seed(3)
    x = torch.randn(n, 16, generator=g)
    return TensorDataset(x, x[:, :2].argmax(1))


class Preemption:
    """Answers the scheduler's warning before the node is taken away."""

    def __init__(self, accelerator, folder):
        self.accelerator, self.folder = accelerator, folder
        self.requested = False
        signal.signal(signal.SIGTERM, self._on_term)

    def _on_term(self, signum, frame):
        self.accelerator.print("preempted, saving")
        self.accelerator.save_state(self.folder)
        self.accelerator.wait_for_everyone()
        sys.exit(0)

    def agreed(self):
        flag = torch.tensor([int(self.requested)], device=self.accelerator.device)
        return self.accelerator.reduce(flag, reduction="sum").item() > 0


def main():
    accelerator = Accelerator(
        gradient_accumulation_steps=2,
        project_config=ProjectConfiguration(project_dir="runs/accel", automatic_checkpoint_naming=False),
    )
    set_seed(7)
    model = nn.Sequential(nn.Linear(16, 64), nn.SiLU(), nn.Linear(64, 2))
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    loader = DataLoader(make_data(), batch_size=16, shuffle=True, drop_last=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    preemption = Preemption(accelerator, "runs/accel/preempted")
    for epoch in range(3):
        model.train()
        for x, y in loader:
            with accelerator.accumulate(model):
                loss = F.cross_entropy(model(x), y)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad()
        if preemption.agreed():
            accelerator.save_state("runs/accel/preempted")
            break
        accelerator.save_state(f"runs/accel/epoch_{epoch}")
    accelerator.end_training()


if __name__ == "__main__":
    main()
