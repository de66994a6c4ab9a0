from typing import Iterable

import torch


def clear(parameters: Iterable[torch.nn.Parameter]) -> None:
    for p in parameters:
        p.grad = None


def sgd(parameters, lr: float) -> None:
    with torch.no_grad():
        for p in parameters:
            if p.grad is not None:
                p.sub_(lr * p.grad)
