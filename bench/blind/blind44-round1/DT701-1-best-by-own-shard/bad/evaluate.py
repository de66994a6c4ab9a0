import torch


@torch.no_grad()
def accuracy(model, loader, device):
    model.eval()
    right = seen = 0
    for x, y in loader:
        pred = model(x.to(device)).argmax(-1)
        right += (pred == y.to(device)).sum().item()
        seen += len(y)
    return right / seen
