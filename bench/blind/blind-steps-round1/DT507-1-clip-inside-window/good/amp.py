import torch


class AmpStepper:
    """Backward, clipping and the optimizer step of one micro-batch."""

    def __init__(self, model, optimizer, window: int, max_norm: float = 1.0):
        self.model, self.optimizer = model, optimizer
        self.window, self.max_norm = window, max_norm
        self.scaler = torch.amp.GradScaler("cuda")

    def __call__(self, loss, last: bool):
        self.scaler.scale(loss / self.window).backward()
        if last:
            self.scaler.unscale_(self.optimizer)
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
            self.scaler.step(self.optimizer)
            self.scaler.update()
            self.optimizer.zero_grad(set_to_none=True)
