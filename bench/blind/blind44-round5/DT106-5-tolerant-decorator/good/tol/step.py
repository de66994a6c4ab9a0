import torch
import torch.nn.functional as F

from tol.decorators import tolerant


class Stepper:
    def __init__(self, model, opt, device):
        self.model, self.opt, self.device = model, opt, device

    @tolerant(RuntimeError, ValueError)
    def __call__(self, x, y):
        x, y = x.to(self.device), y.to(self.device)
        if x.isnan().any():
            raise ValueError("NaN in the input")
        loss = F.mse_loss(self.model(x), y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()
