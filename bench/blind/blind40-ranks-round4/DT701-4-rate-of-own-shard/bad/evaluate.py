import torch
import torch.distributed as dist


@torch.no_grad()
def accuracy(net, loader, device):
    """Share of right answers in the whole held-out set."""
    net.eval()
    rates = []
    for x, y in loader:
        rates.append((net(x.to(device)).argmax(1) == y.to(device)).float().mean())
    rate = torch.stack(rates).mean()
    net.train()
    return rate.item()
