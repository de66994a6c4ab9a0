import math

from torch.optim.lr_scheduler import LambdaLR


def cosine(optimizer, total_steps, warmup):
    def factor(step):
        if step < warmup:
            return (step + 1) / warmup
        done = (step - warmup) / max(1, total_steps - warmup)
        return 0.5 * (1 + math.cos(math.pi * min(1.0, done)))

    return LambdaLR(optimizer, factor)
