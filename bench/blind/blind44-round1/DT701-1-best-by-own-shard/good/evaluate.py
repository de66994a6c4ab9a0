import torch
import torch.distributed as dist


@torch.no_grad()
def accuracy(model, loader, device):
    model.eval()
    right = seen = 0
    for x, y in loader:
        pred = model(x.to(device)).argmax(-1)
        right += (pred == y.to(device)).sum().item()
        seen += len(y)
    counts = torch.tensor([right, seen], dtype=torch.float64, device=device)
    dist.all_reduce(counts)
    return (counts[0] / counts[1]).item()
