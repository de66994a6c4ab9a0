import torch


def trial(seed, width):
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(256, width, generator=g)
    w = torch.linalg.lstsq(x, x.sin().sum(1, keepdim=True)).solution
    return {"seed": seed, "width": width, "score": -float((x @ w - x.sin().sum(1, keepdim=True)).square().mean())}
