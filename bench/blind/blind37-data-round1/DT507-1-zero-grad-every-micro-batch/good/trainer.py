from contextlib import ExitStack

import lightning as L
import torch
import torch.nn.functional as F


class SegTrainer:
    def __init__(self, fabric, model, optimizer, scheduler, accumulate, out_dir):
        self.fabric = fabric
        self.model = model
        self.optimizer = optimizer
        self.scheduler = scheduler
        self.accumulate = accumulate
        self.out_dir = out_dir
        self.micro = 0
        self.updates = 0

    def micro_step(self, image, mask):
        self.micro += 1
        last = self.micro % self.accumulate == 0
        with self.fabric.no_backward_sync(self.model, enabled=not last):
            loss = F.cross_entropy(self.model(image), mask)
            self.fabric.backward(loss / self.accumulate)
        if last:
            self.fabric.clip_gradients(self.model, self.optimizer, max_norm=5.0)
            self.optimizer.step()
            self.optimizer.zero_grad(set_to_none=True)
            self.scheduler.step()
            self.updates += 1
        return loss.detach()

    def fit(self, loader, epochs):
        length = len(loader) // self.accumulate * self.accumulate
        for epoch in range(epochs):
            running = torch.zeros((), device=self.fabric.device)
            for index, (image, mask) in enumerate(loader):
                if index == length:
                    break
                running += self.micro_step(image, mask)
            mean = self.fabric.all_reduce(running / length, reduce_op="mean")
            self.fabric.print(f"epoch {epoch}: loss {mean.item():.4f} after {self.updates} updates")
            self.fabric.save(f"{self.out_dir}/epoch{epoch}.ckpt", {"model": self.model, "optimizer": self.optimizer})
