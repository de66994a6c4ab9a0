import torch
import torch.distributed as dist


class Meter:
    def __init__(self, device):
        self.state = torch.zeros(2, device=device, dtype=torch.float64)

    def update(self, value, n):
        self.state[0] += float(value) * n
        self.state[1] += n

    def compute(self):
        dist.all_reduce(self.state, op=dist.ReduceOp.SUM)
        total, count = self.state.tolist()
        return total / count


def evaluate(model, loader, criterion, device):
    meter = Meter(device)
    model.eval()
    with torch.no_grad():
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            meter.update(criterion(model(x), y), len(x))
    model.train()
    return meter.compute()


def train_one_epoch(model, loader, criterion, optimizer, device):
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
