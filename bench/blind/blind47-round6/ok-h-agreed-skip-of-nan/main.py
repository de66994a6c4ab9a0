import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class NanGuard:
    def __init__(self, limit=10):
        self.limit, self.skipped = limit, 0

    def allows(self, model):
        bad = torch.zeros(())
        for p in model.parameters():
            bad += (~torch.isfinite(p.grad)).any()
        dist.all_reduce(bad)
        if bad.item() == 0:
            return True
        self.skipped += 1
        if self.skipped > self.limit:
            raise RuntimeError("too many steps without finite gradients")
        return False


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(4, 4))
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    guard = NanGuard()
    noise = torch.Generator().manual_seed(dist.get_rank())
    for _ in range(100):
        optimizer.zero_grad()
        model(torch.randn(8, 4, generator=noise)).square().mean().backward()
        if guard.allows(model):
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
