import torch
import torch.distributed as dist


class Accuracy:
    def __init__(self):
        self.right = 0
        self.seen = 0

    def __iadd__(self, pair):
        logits, target = pair
        self.right += (logits.argmax(-1) == target).sum().item()
        self.seen += target.numel()
        return self

    def merge(self, device):
        both = torch.tensor([self.right, self.seen], dtype=torch.float64, device=device)
        dist.all_reduce(both)
        self.right, self.seen = both.tolist()

    @property
    def ratio(self):
        return self.right / max(self.seen, 1)


@torch.inference_mode()
def evaluate(model, loader, device):
    accuracy = Accuracy()
    model.eval()
    for x, y in loader:
        accuracy += model(x.to(device)), y.to(device)
    model.train()
    accuracy.merge(device)
    return accuracy.ratio
