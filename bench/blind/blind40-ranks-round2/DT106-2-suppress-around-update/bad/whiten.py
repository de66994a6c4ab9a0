import torch
import torch.distributed as dist


class Whitener:
    """Running whitening transform of the features, shared by all ranks."""

    def __init__(self, dim, device, momentum=0.1):
        self.momentum = momentum
        self.transform = torch.eye(dim, device=device)

    @torch.no_grad()
    def update(self, feats):
        cov = feats.t() @ feats / feats.shape[0]
        inverse = torch.linalg.inv(torch.linalg.cholesky(cov))
        dist.all_reduce(inverse)
        self.transform.lerp_(inverse / dist.get_world_size(), self.momentum)

    def __call__(self, feats):
        return feats @ self.transform.t()
