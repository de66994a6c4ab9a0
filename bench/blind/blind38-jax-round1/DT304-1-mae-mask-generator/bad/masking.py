import torch


class PatchMasker:
    """Chooses the patches an encoder does not get to see."""

    def __init__(self, ratio, seed, device):
        self.ratio = ratio
        self.gen = torch.Generator(device=device)
        self.gen.manual_seed(seed)
        self.device = device

    def __call__(self, batch, patches):
        keep = int(patches * (1.0 - self.ratio))
        noise = torch.rand(batch, patches, generator=self.gen, device=self.device)
        order = noise.argsort(dim=1)
        mask = torch.ones(batch, patches, device=self.device)
        mask.scatter_(1, order[:, :keep], 0.0)
        return order[:, :keep], mask
