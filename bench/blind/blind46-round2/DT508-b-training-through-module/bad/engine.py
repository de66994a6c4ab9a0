import torch
import torch.nn.functional as F


def unwrap(model):
    return getattr(model, "module", model)


class Engine:
    def __init__(self, model, optimizer, device):
        self.model, self.optimizer, self.device = model, optimizer, device

    def forward(self, x, y):
        logits = unwrap(self.model)(x)
        return F.cross_entropy(logits, y), logits

    def step(self, batch):
        x, y = (t.to(self.device) for t in batch)
        loss, _ = self.forward(x, y)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()

    def state(self):
        return {"model": unwrap(self.model).state_dict(), "optimizer": self.optimizer.state_dict()}
