import logging

import torch
from torchmetrics import MetricCollection
from torchmetrics.classification import MulticlassAccuracy, MulticlassF1Score

log = logging.getLogger(__name__)


class Evaluator:
    def __init__(self, fabric, classes):
        self.fabric = fabric
        metrics = {"acc": MulticlassAccuracy(classes), "f1": MulticlassF1Score(classes)}
        self.metrics = MetricCollection(metrics).to(fabric.device)

    @torch.no_grad()
    def __call__(self, model, loader, epoch):
        model.eval()
        for inputs, labels in loader:
            self.metrics.update(model(inputs), labels)
        model.train()
        values = self.metrics.compute()
        if self.fabric.is_global_zero:
            log.info("epoch %d %s", epoch, {k: round(v.item(), 3) for k, v in values.items()})
        self.metrics.reset()
