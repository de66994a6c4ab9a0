import logging
import os
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

log = logging.getLogger("phases")


class Phase:
    """Names a part of the run in the log, with the time it took."""

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        self.began = time.perf_counter()
        return self

    def __exit__(self, kind, problem, trace):
        took = time.perf_counter() - self.began
        if kind is not None:
            log.error("%s failed on rank %d after %.1fs: %s", self.name, dist.get_rank(), took, problem)
            dist.barrier()
            return False
        if dist.get_rank() == 0:
            log.info("%s took %.1fs", self.name, took)
        return False


def train_epoch(model, opt, loader, device):
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x.to(device)), y.to(device))
        if not torch.isfinite(loss):
            raise FloatingPointError("loss is not finite")
        opt.zero_grad()
        loss.backward()
        opt.step()


def main():
    logging.basicConfig(level=logging.INFO)
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(5)
    net = nn.Sequential(nn.Linear(7, 28), nn.ELU(), nn.Linear(28, 1)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    x = torch.randn(420, 7, generator=torch.Generator().manual_seed(2))
    data = TensorDataset(x, x.abs().sum(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=15, sampler=sampler, drop_last=True)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        with Phase(f"epoch {epoch}"):
            train_epoch(model, opt, loader, device)
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "phases.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
