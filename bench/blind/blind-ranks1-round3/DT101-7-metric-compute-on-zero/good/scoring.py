from dataclasses import dataclass, field

import torch
from torchmetrics.classification import MulticlassAccuracy, MulticlassF1Score


@dataclass
class Scores:
    classes: int
    device: torch.device
    metrics: dict = field(init=False)

    def __post_init__(self):
        self.metrics = {
            "accuracy": MulticlassAccuracy(self.classes).to(self.device),
            "f1": MulticlassF1Score(self.classes, average="macro").to(self.device),
        }

    def update(self, logits, labels):
        for metric in self.metrics.values():
            metric.update(logits, labels)

    def table(self):
        return {name: metric.compute().item() for name, metric in self.metrics.items()}

    def reset(self):
        for metric in self.metrics.values():
            metric.reset()
