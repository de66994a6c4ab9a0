import torch


class Scaled:
    def __init__(self, optimizer, window, most):
        self.scaler = torch.amp.GradScaler("cuda")
        self.optimizer, self.window, self.most = optimizer, window, most
        self.params = [p for group in optimizer.param_groups for p in group["params"]]

    def backward(self, loss):
        self.scaler.scale(loss / self.window).backward()

    def maybe_step(self, index):
        torch.nn.utils.clip_grad_norm_(self.params, self.most)
        if (index + 1) % self.window:
            return
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.optimizer.zero_grad(set_to_none=True)
