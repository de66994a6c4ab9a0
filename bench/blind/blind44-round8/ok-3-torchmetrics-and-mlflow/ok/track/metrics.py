from torchmetrics import MetricCollection
from torchmetrics.classification import MulticlassAccuracy, MulticlassF1Score


def metrics(classes, device):
    return MetricCollection({"acc": MulticlassAccuracy(classes), "f1": MulticlassF1Score(classes)}).to(device)
