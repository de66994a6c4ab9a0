import os

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from acc.args import Args
from acc.state import Progress, write_meta


def main(args=Args()):
    accelerator = Accelerator(gradient_accumulation_steps=args.accumulate)
    set_seed(0)
    model = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 1))
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr)
    x = torch.randn(2048, 10, generator=torch.Generator().manual_seed(3))
    loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), args.batch, shuffle=True)
    model, opt, loader = accelerator.prepare(model, opt, loader)
    progress = Progress()
    accelerator.register_for_checkpointing(progress)
    last = os.path.join(args.out, "state")
    if os.path.isdir(last):
        accelerator.load_state(last)
    accelerator.wait_for_everyone()
    for epoch in range(args.epochs):
        for a, b in loader:
            with accelerator.accumulate(model):
                loss = nn.functional.mse_loss(model(a), b)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                opt.step()
                opt.zero_grad()
            if accelerator.sync_gradients:
                progress.step += 1
                if progress.step % args.save_every == 0:
                    accelerator.save_state(last)
                    if accelerator.is_main_process:
                        write_meta(args.out, progress, args)
        mean = accelerator.reduce(loss.detach(), "mean")
        accelerator.print(f"epoch {epoch} loss {mean.item():.4f}")
    accelerator.end_training()


if __name__ == "__main__":
    main()
