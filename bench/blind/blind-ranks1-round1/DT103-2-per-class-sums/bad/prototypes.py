from collections import defaultdict

import torch
import torch.distributed as dist


class PrototypeBank:
    """Class centroids of the embedding space over the whole job."""

    def __init__(self, num_classes, dim, device):
        self.num_classes = num_classes
        self.centres = torch.zeros(num_classes, dim, device=device)
        self.reset()

    def reset(self):
        self.seen = defaultdict(list)

    def add(self, features, labels):
        for feature, label in zip(features.detach(), labels.tolist()):
            self.seen[label].append(feature)

    def refresh(self):
        dim = self.centres.shape[1]
        for label, features in sorted(self.seen.items()):
            packed = torch.zeros(dim + 1, device=self.centres.device)
            if features:
                packed[:dim] = torch.stack(features).sum(0)
                packed[dim] = len(features)
            dist.all_reduce(packed)
            self.centres[label] = packed[:dim] / packed[dim].clamp(min=1)
        self.reset()
