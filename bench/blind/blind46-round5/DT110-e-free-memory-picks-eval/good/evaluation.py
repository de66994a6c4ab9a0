import torch
import torch.distributed as dist
import torch.nn.functional as F


def roomy(device, need=2 << 30):
    free, _total = torch.cuda.mem_get_info(device)
    return free > need


def everyone_roomy(device):
    ok = torch.tensor(int(roomy(device)), device=device)
    dist.all_reduce(ok, op=dist.ReduceOp.MIN)
    return bool(ok.item())


@torch.no_grad()
def evaluate(model, loader, device):
    if not everyone_roomy(device):
        return None
    model.eval()
    sums = torch.zeros(2, device=device)
    for x, y in loader:
        out = model(x.to(device))
        sums[0] += F.cross_entropy(out, y.to(device), reduction="sum")
        sums[1] += len(y)
    dist.all_reduce(sums)
    model.train()
    return (sums[0] / sums[1]).item()
