import torch
import torch.distributed as dist


def label_histogram(loader, classes, device):
    """Counts the labels of the whole training set, each rank its own shard."""
    labels = torch.cat([batch["label"] for batch in loader])
    counts = torch.bincount(labels, minlength=classes).to(device)
    dist.all_reduce(counts)
    return counts


def inverse_frequency(counts, smoothing=1.0):
    frequency = (counts.float() + smoothing) / (counts.sum() + smoothing * len(counts))
    return (1.0 / frequency) / (1.0 / frequency).mean()
