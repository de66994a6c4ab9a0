import torch


class Schedule:
    def __init__(self, total=200, device="cpu"):
        self.total = total
        self.alpha = torch.cumprod(1 - torch.linspace(1e-4, 0.02, total), 0).to(device)

    def mix(self, x, eps, t):
        a = self.alpha[t][:, None]
        return a.sqrt() * x + (1 - a).sqrt() * eps
