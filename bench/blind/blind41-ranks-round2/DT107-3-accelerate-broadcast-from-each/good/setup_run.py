import random

import torch
from accelerate import Accelerator
from accelerate.utils import broadcast_object_list, set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def run_name(accelerator):
    box = [f"run-{random.SystemRandom().randrange(10**6):06d}"]
    broadcast_object_list(box, from_process=0)
    return box[0]


def main():
    accelerator = Accelerator(log_with="tensorboard", project_dir="logs")
    name = run_name(accelerator)
    set_seed(12)
    accelerator.init_trackers(name)
    gen = torch.Generator().manual_seed(12)
    x = torch.randn(1000, 5, generator=gen)
    loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=20, shuffle=True, drop_last=True)
    model = nn.Linear(5, 1)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    model, opt, loader = accelerator.prepare(model, opt, loader)
    for epoch in range(3):
        for features, target in loader:
            loss = nn.functional.mse_loss(model(features), target)
            accelerator.backward(loss)
            opt.step()
            opt.zero_grad()
        accelerator.log({"loss": accelerator.reduce(loss.detach(), reduction="mean").item()}, step=epoch)
    accelerator.end_training()


if __name__ == "__main__":
    main()
