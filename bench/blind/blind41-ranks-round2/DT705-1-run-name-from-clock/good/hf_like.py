import os
from datetime import datetime

import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import broadcast_object_list, set_seed
from torch.utils.data import DataLoader, TensorDataset


def run_folder(root):
    box = [os.path.join(root, datetime.now().strftime("%Y%m%d-%H%M%S"))]
    broadcast_object_list(box, from_process=0)
    return box[0]


def main():
    accelerator = Accelerator()
    set_seed(8)
    folder = run_folder("/shared/runs")
    gen = torch.Generator().manual_seed(8)
    x = torch.randn(2000, 9, generator=gen)
    loader = DataLoader(TensorDataset(x, x.prod(1, keepdim=True)), batch_size=40, shuffle=True, drop_last=True)
    model = nn.Sequential(nn.Linear(9, 90), nn.ReLU(), nn.Linear(90, 1))
    opt = torch.optim.Adam(model.parameters())
    model, opt, loader = accelerator.prepare(model, opt, loader)
    for epoch in range(3):
        for a, b in loader:
            accelerator.backward(F.mse_loss(model(a), b))
            opt.step()
            opt.zero_grad()
        accelerator.save_state(os.path.join(folder, f"epoch-{epoch}"))
    accelerator.end_training()


if __name__ == "__main__":
    main()
