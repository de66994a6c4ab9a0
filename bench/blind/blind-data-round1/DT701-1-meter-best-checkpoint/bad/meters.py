import torch
import torch.distributed as dist


class Accuracy:
    def __init__(self, device):
        self.hits = torch.zeros((), device=device)
        self.seen = torch.zeros((), device=device)

    def update(self, logits, target):
        self.hits += (logits.argmax(1) == target).sum()
        self.seen += target.numel()

    def sync(self):
        pair = torch.stack([self.hits, self.seen])
        dist.all_reduce(pair)
        self.hits, self.seen = pair[0], pair[1]

    @property
    def value(self):
        return (self.hits / self.seen.clamp(min=1)).item()
