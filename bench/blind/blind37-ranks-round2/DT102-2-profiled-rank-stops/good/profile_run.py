import contextlib
import os
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.profiler import ProfilerActivity, profile, schedule
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

TRACES = Path(os.environ.get("TRACE_DIR", "traces"))


def maybe_profile(rank, warmup, active):
    """A profiler on rank 0, nothing elsewhere."""
    if rank != 0:
        return contextlib.nullcontext()
    TRACES.mkdir(parents=True, exist_ok=True)
    return profile(
        activities=[ProfilerActivity.CPU],
        schedule=schedule(wait=0, warmup=warmup, active=active),
        on_trace_ready=lambda p: p.export_chrome_trace(str(TRACES / "rank0.json")),
    )


class Net(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.inp = nn.Linear(20, width)
        self.out = nn.Linear(width, 4)

    def forward(self, x):
        return self.out(torch.relu(self.inp(x)))


def run(model, opt, loader, sampler, device, rank, warmup=2, active=6, epochs=2):
    step = 0
    with maybe_profile(rank, warmup, active) as prof:
        for epoch in range(epochs):
            sampler.set_epoch(epoch)
            for x, y in loader:
                loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device))
                opt.zero_grad(set_to_none=True)
                loss.backward()
                opt.step()
                step += 1
                if prof is not None:
                    prof.step()
                if step == warmup + active:
                    return step
    return step


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    torch.manual_seed(0)
    model = DDP(Net().to(device), device_ids=[local_rank] if cuda else None)
    opt = torch.optim.SGD(model.parameters(), lr=0.01)
    x = torch.randn(640, 20, generator=torch.Generator().manual_seed(1))
    data = TensorDataset(x, x[:, :4].argmax(1))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    steps = run(model, opt, loader, sampler, device, rank)
    if rank == 0:
        print(f"profiled {steps} steps")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
