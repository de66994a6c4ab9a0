import contextlib
import os
import shutil

import torch
import torch.nn as nn
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader, TensorDataset


def main(out="out"):
    accelerator = Accelerator()
    set_seed(0)
    if accelerator.is_main_process:
        with contextlib.suppress(FileNotFoundError):
            shutil.rmtree(out)
        os.makedirs(out)
    accelerator.wait_for_everyone()
    gen = torch.Generator().manual_seed(0)
    x = torch.randn(640, 4, generator=gen)
    loader = DataLoader(TensorDataset(x), batch_size=16, shuffle=True, drop_last=True)
    model = nn.Linear(4, 4)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    model, opt, loader = accelerator.prepare(model, opt, loader)
    for (a,) in loader:
        accelerator.backward(F.mse_loss(model(a), a))
        opt.step()
        opt.zero_grad()
    torch.save({"rng": torch.get_rng_state()}, os.path.join(out, f"rng{accelerator.process_index}.pt"))
    accelerator.wait_for_everyone()
    accelerator.end_training()


if __name__ == "__main__":
    main()
