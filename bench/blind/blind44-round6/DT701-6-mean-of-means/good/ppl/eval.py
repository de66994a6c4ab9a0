import torch
import torch.nn.functional as F

from ppl.meter import Perplexity


@torch.no_grad()
def evaluate(net, loader, device):
    meter = Perplexity(device)
    net.eval()
    for (x,) in loader:
        x = x.to(device)
        meter.add(F.cross_entropy(net(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten()), x[:, 1:].numel())
    net.train()
    return meter.value()
