import horovod.torch as hvd
import torch


class Totals:
    def __init__(self, prefix):
        self.prefix = prefix
        self.right, self.seen = 0.0, 0.0

    def add(self, logits, target):
        self.right += (logits.argmax(1) == target).sum().item()
        self.seen += len(target)

    def accuracy(self):
        pair = torch.tensor([self.right, self.seen])
        pair = hvd.allreduce(pair, name=f"{self.prefix}/{hvd.rank()}", op=hvd.Sum)
        return (pair[0] / pair[1]).item()
