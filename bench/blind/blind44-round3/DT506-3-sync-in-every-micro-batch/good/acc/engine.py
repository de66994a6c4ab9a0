import contextlib

import torch


class Engine:
    def __init__(self, model, optimizer, criterion, device):
        self.model, self.optimizer, self.criterion, self.device = model, optimizer, criterion, device

    def backward(self, batch, share):
        x, y = (t.to(self.device) for t in batch)
        loss = self.criterion(self.model(x), y) * share
        loss.backward()
        return loss.detach()

    def update(self, window):
        self.optimizer.zero_grad(set_to_none=True)
        for i, batch in enumerate(window):
            last = i + 1 == len(window)
            with contextlib.nullcontext() if last else self.model.no_sync():
                self.backward(batch, 1 / len(window))
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
